/** Answers JSON. `event` is what was sent (JSON, a form, or the query), `context` says how it was sent. */
export function handle(event, context) {
  return { message: `Hello, ${event?.name ?? 'world'}!` };
}
