/** A point in time as Kubernetes writes it: RFC 3339, UTC, whole seconds. */
export function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since 1970 of an RFC 3339 text; `undefined` for an absent or malformed one. */
export function parseTime(text: string | undefined): number | undefined {
  const milliseconds = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
