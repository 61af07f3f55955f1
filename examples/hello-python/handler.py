def handle(event, context):
    """Called for every request. `event` is the JSON body, the form or the query; `context` tells the rest.

    What is returned becomes the answer: JSON, unless it is bytes, a generator or {"statusCode", "headers", "body"}.
    """
    name = event.get("name", "world") if isinstance(event, dict) else "world"
    return {"message": f"Hello, {name}!", "from": context.function, "path": context.path}
