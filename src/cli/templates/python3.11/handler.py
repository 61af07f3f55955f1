def handle(event, context):
    """Answers JSON. `event` is what was sent (JSON, a form, or the query), `context` says how it was sent."""
    name = event.get("name") if isinstance(event, dict) else None
    return {"message": f"Hello, {name or 'world'}!"}
