/** Greets whoever is named. */
export function handle(event) {
  return { message: `${process.env.GREETING}, ${event.name ?? 'world'}!` };
}
