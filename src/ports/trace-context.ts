/** W3C trace context, version 00; ids of zeros only are invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** Later versions may carry more behind the four fields; `ff` is forbidden. */
const LATER_TRACEPARENT =
  /^(?!ff|00)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;

/** Whether a `traceparent` is well formed; any other is replaced, and its `tracestate` dropped with it. */
export const isTraceparent = (text: string): boolean =>
  TRACEPARENT.test(text) || LATER_TRACEPARENT.test(text);

/** The trace's id in a `traceparent` that is well formed. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

/** A new trace that nobody asked to be recorded. `hex` gives so many random bytes as digits. */
export const newTraceparent = (hex: (bytes: number) => string): string => `00-${hex(16)}-${hex(8)}-00`;
