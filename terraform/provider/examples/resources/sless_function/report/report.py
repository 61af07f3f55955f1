import os


def handle(event):
    return {"format": os.environ["FORMAT"], "of": event}
