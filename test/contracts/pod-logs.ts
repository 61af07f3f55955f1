import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ContainerRef, LogReading, PodLogs } from '../../src/ports/pod-logs.ts';

/** A way to have containers that write something. */
export interface PodLogsSubject {
  readonly logs: PodLogs;
  /**
   * A container that runs this program of Node, and again each time that it ends. `process.env.STATE` is a folder that
   * outlives its runs.
   */
  run(program: string): Promise<ContainerRef>;
  close(): Promise<void>;
}

/** What holds of every PodLogs. `slowMs` is how long a container may take to start, or to start again. */
export function podLogsContract(
  name: string,
  open: () => Promise<PodLogsSubject>,
  { slowMs }: { readonly slowMs: number },
): void {
  describe(`logs of pods: ${name}`, { timeout: slowMs * 2 }, () => {
    let subject: PodLogsSubject;
    beforeAll(async () => {
      subject = await open();
    }, slowMs);
    afterAll(() => subject.close(), slowMs);

    const read = async (of: ContainerRef, reading: Partial<LogReading> = {}): Promise<string[]> => {
      const texts: string[] = [];
      const { signal } = new AbortController();
      for await (const { text } of subject.logs.read(of, { signal, ...reading })) texts.push(text);
      return texts;
    };
    const written = (of: ContainerRef, want: string) =>
      vi.waitFor(async () => expect((await read(of)).at(-1)).toBe(want), { timeout: slowMs, interval: 100 });
    const STAYS = 'setInterval(() => {}, 1000)';

    it('tells lines in order with growing times, all or the last ones', async () => {
      const of = await subject.run(
        `for (let n = 0; n < 30; n++) console.log(n + ' привет'); console.log(''); console.log('end'); ${STAYS}`,
      );
      await written(of, 'end');
      const { signal } = new AbortController();
      const lines = [];
      for await (const line of subject.logs.read(of, { signal })) lines.push(line);
      expect(lines.map(({ text }) => text)).toEqual([
        ...Array.from({ length: 30 }, (_, n) => `${n} привет`),
        '',
        'end',
      ]);
      for (const { time } of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
      expect(lines.map(({ time }) => time)).toEqual(lines.map(({ time }) => time).sort());
      expect(await read(of, { lines: 1 })).toEqual(['end']);
      expect(await read(of, { lines: 0 })).toEqual([]);
      const after = lines[27]?.time ?? '';
      expect(await read(of, { after })).toEqual(
        lines.filter(({ time }) => time > after).map(({ text }) => text),
      );
      expect(await subject.logs.tail(of, { lines: 1, bytes: 100 })).toBe('end\n');
      expect(await subject.logs.tail(of, { lines: 100, bytes: 4 })).toBe('end\n');
    });

    it('goes on with what is written, and ends for who has enough', async () => {
      const of = await subject.run(`let n = 0; setInterval(() => console.log(n++), 50)`);
      await vi.waitFor(async () => expect((await read(of)).length).toBeGreaterThan(2), { timeout: slowMs });
      const stopping = new AbortController();
      const seen: number[] = [];
      for await (const { text } of subject.logs.read(of, {
        lines: 1,
        follow: true,
        signal: stopping.signal,
      })) {
        seen.push(Number(text));
        if (seen.length === 5) stopping.abort();
      }
      const [first = 0] = seen;
      expect(seen.slice(0, 5)).toEqual([0, 1, 2, 3, 4].map((n) => first + n));
    });

    it('ends with the container, and tells the run before by itself', async () => {
      const of = await subject.run(
        `const file = process.env.STATE + '/runs';
         const runs = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) + 1 : 1;
         fs.writeFileSync(file, String(runs));
         console.log('run ' + runs);
         if (runs === 1) setTimeout(() => process.stdout.write('dies', () => process.exit(3)), 1500); else ${STAYS}`,
      );
      await written(of, 'run 1');
      expect(await read(of, { follow: true })).toEqual(['run 1', 'dies']);
      await written(of, 'run 2');
      expect(await read(of)).toEqual(['run 2']);
      expect(await read(of, { previous: true })).toEqual(['run 1', 'dies']);
      expect(await subject.logs.tail(of, { lines: 9, bytes: 999, previous: true })).toMatch(
        /^run 1\ndies\n?$/,
      );
    });

    it('names what is not there', async () => {
      const of = await subject.run(STAYS);
      const fault = { code: 'NotFound' };
      await expect(read({ ...of, pod: 'no-such-pod' })).rejects.toMatchObject(fault);
      await expect(read({ ...of, container: 'nothing' })).rejects.toMatchObject(fault);
      await vi.waitFor(() => expect(read(of, { previous: true })).rejects.toMatchObject(fault), {
        timeout: slowMs,
      });
    });
  });
}
