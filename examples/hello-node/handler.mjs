/**
 * Called for every request. `event` is the JSON body, the form or the query; `context` tells the rest.
 * What is returned becomes the answer: JSON, unless it is text, bytes, a stream or {statusCode, headers, body}.
 */
export function handle(event, context) {
  const name = event?.name ?? 'world';
  return { message: `Hello, ${name}!`, from: context.function, path: context.path };
}
