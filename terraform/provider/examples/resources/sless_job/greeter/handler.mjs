export const handle = (event) => ({ message: `Hello, ${event.name ?? 'world'}!` });
