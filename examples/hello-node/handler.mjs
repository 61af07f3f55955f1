/** Greets whoever is named: in the JSON of a POST, in a form, or as ?name= in the URL. */
export function handle(event, context) {
  const name = typeof event === 'object' ? event?.name : event;
  return { message: `Hello, ${name || 'world'}!`, runtime: 'nodejs20', path: context.path };
}
