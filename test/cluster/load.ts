/** What became of the calls of a load. */
export interface LoadReport {
  readonly calls: number;
  /** One line a call that was not answered with 200: when (ms from the start), and how. */
  readonly failed: readonly string[];
  /** The bodies of the good answers, each once, in the order in which they first came. */
  readonly answers: readonly string[];
}

/** Calls at a steady rate. */
export interface Load {
  /** What was answered so far. */
  report(): LoadReport;
  /** Ends the calls, waits for those under way, and tells of all. */
  stop(): Promise<LoadReport>;
}

/** 50 a second. */
const EVERY_MS = 20;
/** Longer than any of our functions takes, on a machine that has much else to do. */
const CALL_MS = 30_000;

/** Begins to call, each call without waiting for the one before. */
export function startLoad(url: string): Load {
  const startedAt = Date.now();
  const failed: string[] = [];
  const answers = new Set<string>();
  const open = new Set<Promise<void>>();
  let calls = 0;
  const once = async (): Promise<void> => {
    calls += 1;
    const at = Date.now() - startedAt;
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(CALL_MS) });
      const body = await answer.text();
      if (answer.status === 200) answers.add(body);
      else failed.push(`${at}: ${answer.status} ${body}`);
    } catch (error) {
      failed.push(`${at}: ${error} ${(error as Error).cause ?? ''}`);
    }
  };
  const timer = setInterval(() => {
    const call = once();
    open.add(call);
    void call.then(() => open.delete(call));
  }, EVERY_MS);
  const report = (): LoadReport => ({ calls, failed: [...failed], answers: [...answers] });
  return {
    report,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      return report();
    },
  };
}
