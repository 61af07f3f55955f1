import { expect, vi } from 'vitest';

/** A stream of server-sent events as a client reads it. */
export interface Followed {
  /** Waits until exactly these lines have come. */
  lines(...want: string[]): Promise<void>;
  lastId(): string;
  heartBeats(): number;
  /** The data of the event `end`, once it has come and the stream is over. */
  end(): Promise<unknown>;
  close(): void;
}

/** @throws an Error with the status, when that is not 200 */
export async function follow(
  url: string,
  { token, lastId }: { readonly token: string; readonly lastId?: string | undefined },
): Promise<Followed> {
  const closing = new AbortController();
  const answer = await fetch(url, {
    signal: closing.signal,
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    },
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const lines: string[] = [];
  let [id, beats, end] = ['', 0, undefined as unknown];
  const take = (event: string): void => {
    const fields = event.split('\n');
    if (fields.some((field) => field.startsWith(':'))) beats += 1;
    const field = (name: string) =>
      fields.find((each) => each.startsWith(`${name}: `))?.slice(name.length + 2);
    id = field('id') ?? id;
    const data = field('data');
    if (data === undefined) return;
    if (field('event') === 'end') end = JSON.parse(data);
    else lines.push((JSON.parse(data) as { line: string }).line);
  };
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of (answer.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
    )) {
      const events = `${text}${chunk}`.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) take(event);
    }
  };
  const over = read();
  over.catch(() => {});
  return {
    lines: (...want) => vi.waitFor(() => expect(lines).toEqual(want), { timeout: 5000, interval: 20 }),
    lastId: () => id,
    heartBeats: () => beats,
    end: async () => {
      await over;
      return end;
    },
    close: () => closing.abort(),
  };
}
