/** Work that is done again while it is asked for, never twice at once. Asking many times while it runs means once more. */
export interface Latest {
  request(): void;
  /** When nothing is asked for any more. */
  idle(): Promise<void>;
}

/** `onError` hears of a failure; the work is then asked for again after `retryMs`. */
export function createLatest(
  work: () => Promise<void>,
  { onError, retryMs }: { readonly onError: (error: unknown) => void; readonly retryMs: number },
): Latest {
  let wanted = false;
  let running: Promise<void> | undefined;
  const loop = async (): Promise<void> => {
    while (wanted) {
      wanted = false;
      try {
        await work();
      } catch (error) {
        onError(error);
        setTimeout(request, retryMs).unref();
      }
    }
    running = undefined;
  };
  const request = (): void => {
    wanted = true;
    running ??= loop();
  };
  return { request, idle: async () => running };
}
