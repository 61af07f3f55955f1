terraform import sless_trigger.http greeter-http
