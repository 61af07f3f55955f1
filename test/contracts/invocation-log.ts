import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Invocation, InvocationLog } from '../../src/ports/invocation-log.ts';

interface OpenLog {
  readonly log: InvocationLog;
  close(): Promise<void>;
}

const START = Date.parse('2026-03-01T23:59:59.000Z');

/** What every invocation log must do. Each test has a function of its own, so one log serves them all. */
export function invocationLogContract(name: string, open: () => Promise<OpenLog>): void {
  describe(`invocation log: ${name}`, () => {
    let opened: OpenLog;
    let log: InvocationLog;
    beforeAll(async () => {
      opened = await open();
      log = opened.log;
    });
    afterAll(() => opened.close());

    const call = (of: string, fields: Partial<Invocation> = {}): Invocation => ({
      id: randomUUID(),
      namespace: 'team',
      function: of,
      trigger: 'http',
      startedAt: START,
      durationMs: 12.5,
      outcome: 'ok',
      status: 200,
      bytesIn: 3,
      bytesOut: 5_000_000_000,
      attempt: 1,
      ...fields,
    });
    const query = (of: string) => ({ namespace: 'team', function: of });

    test('a record comes back as it was given, with all fields and with few', async () => {
      const full = call('all', {
        triggerName: 'nightly',
        trigger: 'event',
        reason: 'FunctionTimeout',
        outcome: 'failed',
        attempt: 3,
        requestId: 'r-ü"\\1',
        traceId: '0af7651916cd43dd8448eb211c80319c',
      });
      const { status: _, ...few } = call('all', { startedAt: START + 1 });
      await log.append([full, few]);
      expect(await log.get({ ...query('all'), id: full.id })).toEqual(full);
      expect(await log.list(query('all'), { limit: 10 })).toEqual({ items: [few, full] });
    });

    test('a time within a millisecond is kept to the millisecond', async () => {
      const record = call('within', { startedAt: START + 0.4 });
      await log.append([record]);
      expect(await log.get({ ...query('within'), id: record.id })).toEqual({ ...record, startedAt: START });
    });

    test('records that can never be kept are refused for that, not put off', async () => {
      const wrong = call('wrong', { attempt: 'x' as unknown as number });
      await expect(log.append([call('wrong'), wrong])).rejects.not.toMatchObject({ code: 'Unavailable' });
      expect(await log.list(query('wrong'), { limit: 10 })).toEqual({ items: [] });
    });

    test("another's record is not found by its id", async () => {
      const mine = call('mine');
      await log.append([mine]);
      expect(await log.get({ ...query('theirs'), id: mine.id })).toBeUndefined();
      expect(await log.get({ ...query('mine'), namespace: 'other', id: mine.id })).toBeUndefined();
      expect(await log.get({ ...query('mine'), id: randomUUID() })).toBeUndefined();
      expect(await log.get({ ...query('mine'), id: 'no uuid' })).toBeUndefined();
    });

    test('a record that is appended again stays one, as it first was', async () => {
      const first = call('twice');
      await log.append([first, call('twice')]);
      await log.append([{ ...first, durationMs: 99 }, first]);
      expect((await log.list(query('twice'), { limit: 10 })).items).toHaveLength(2);
      expect(await log.get({ ...query('twice'), id: first.id })).toEqual(first);
    });

    test('no records are fine', async () => {
      await log.append([]);
    });

    test('pages follow each other while new records come, also where many began in the same millisecond', async () => {
      const records = Array.from({ length: 25 }, (_, index) =>
        call('paged', { startedAt: START + (index >> 3) }),
      );
      await log.append(records);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await log.list(query('paged'), {
          limit: 7,
          ...(cursor === undefined ? {} : { cursor }),
        });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.next;
        await log.append([call('paged', { startedAt: START + 1000 })]);
      } while (cursor !== undefined);
      expect(new Set(seen)).toEqual(new Set(records.map(({ id }) => id)));
      expect(seen).toHaveLength(25);
    });

    test.each(['', 'x', 'W10', 'WzEsMl0', Buffer.from('["1","x"]').toString('base64url')])(
      'refuses the cursor %j',
      async (cursor) => {
        await expect(log.list(query('paged'), { limit: 1, cursor })).rejects.toMatchObject({
          code: 'InvalidRequest',
        });
      },
    );

    test('each filter, alone and together', async () => {
      const of = 'filtered';
      const http = call(of, { requestId: 'r1' });
      const failed = call(of, { outcome: 'failed', status: 504, startedAt: START + 10 });
      const cron = call(of, { trigger: 'cron', triggerName: 'nightly', startedAt: START + 20 });
      await log.append([http, failed, cron]);
      const ids = async (filter: object) =>
        (await log.list({ ...query(of), ...filter }, { limit: 10 })).items.map(({ id }) => id);
      expect(await ids({ trigger: 'cron' })).toEqual([cron.id]);
      expect(await ids({ triggerName: 'nightly' })).toEqual([cron.id]);
      expect(await ids({ outcome: 'failed' })).toEqual([failed.id]);
      expect(await ids({ status: 504 })).toEqual([failed.id]);
      expect(await ids({ requestId: 'r1' })).toEqual([http.id]);
      expect(await ids({ since: START + 10 })).toEqual([cron.id, failed.id]);
      expect(await ids({ until: START + 20 })).toEqual([failed.id, http.id]);
      expect(await ids({ since: START + 1, until: START + 20, trigger: 'http' })).toEqual([failed.id]);
    });

    test('forgets whole days that are over, and takes new records of such a day again', async () => {
      const old = call('aged', { startedAt: Date.parse('2026-01-10T12:00:00Z') });
      const young = call('aged', { startedAt: Date.parse('2026-01-12T00:00:00Z') });
      await log.append([old, young]);
      await log.forget(Date.parse('2026-01-12T00:00:00Z'));
      expect((await log.list(query('aged'), { limit: 10 })).items).toEqual([young]);
      await log.append([old]);
      expect((await log.list(query('aged'), { limit: 10 })).items).toEqual([young, old]);
    });
  });
}
