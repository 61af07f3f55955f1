def handle(event, context):
    """Greets whoever is named: in the JSON of a POST, in a form, or as ?name= in the URL."""
    name = event.get("name") if isinstance(event, dict) else event
    return {"message": f"Hello, {name or 'world'}!", "runtime": "python3.11", "path": context.path}
