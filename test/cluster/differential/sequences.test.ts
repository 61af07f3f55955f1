import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clusterEnvironment } from '../environment.ts';
import { type EventLog, logEvents } from './events.ts';
import { listNormal } from './list.ts';
import type { Pair, Side } from './pair.ts';
import { createPlayer, Meddled, type Outcome, type Stage } from './play.ts';
import { type Step, type Subject, steps } from './step.ts';
import { SUBJECTS } from './subjects/subjects.ts';
import { usePair } from './use-pair.ts';

const environment = clusterEnvironment();
/** How many sequences of each kind; about 16 ms a request on an idle machine. */
const RUNS = environment?.soak ? 400 : 25;
/** The same ones at every run, but for the long version. */
const SEED = environment?.soak ? {} : { seed: 20_260_101 };
/** More than any run takes, on a machine that does much else. */
const TIMEOUT_MS = environment?.soak ? 3_600_000 : 120_000;

/** Sequences that may be void because another controller of the cluster wrote into them. */
const MAX_MEDDLED = RUNS * 3;

/** All that one side has to say of a sequence. */
interface Told {
  readonly outcomes: Outcome[];
  /** What is there in the end, in the order of a list, and what of it has the label. */
  readonly left: unknown[];
  readonly chosen: unknown[];
  /** What watches were told: of everything, and of what has the label. */
  readonly events: string[];
  readonly chosenEvents: string[];
}

interface Sequence {
  readonly stage: Stage;
  readonly played: readonly Step[];
  /** How many changes the watch of the label must have told at least. */
  readonly least: number;
}

const CHOSEN = { chosen: 'yes' };

/** Both watches of a kind on one side. */
interface Logs {
  readonly all: EventLog;
  readonly chosen: EventLog;
}

async function openLogs({ sides, namespace }: Pair, { kind }: Subject): Promise<[Logs, Logs]> {
  const open = async ({ cluster }: Side): Promise<Logs> => {
    const query = { kind, ...(kind.namespaced ? { namespace } : {}) };
    const logs = { all: logEvents(cluster, query), chosen: logEvents(cluster, { ...query, labels: CHOSEN }) };
    await Promise.all([logs.all.ready(), logs.chosen.ready()]);
    return logs;
  };
  return Promise.all([open(sides[0]), open(sides[1])]);
}

describe.skipIf(environment === undefined)('of any sequence of requests both clusters tell the same', () => {
  const pair = usePair(environment);
  let sequence = 0;

  const play = async (
    { cluster }: Side,
    { all, chosen }: Logs,
    { stage, played, least }: Sequence,
  ): Promise<Told> => {
    const player = createPlayer(cluster, stage);
    const { ledger } = player;
    const outcomes: Outcome[] = [];
    for (const step of played) outcomes.push(await player.take(step));
    const left = await listNormal(cluster, stage, { ledger });
    const found = await listNormal(cluster, stage, { ledger, labels: CHOSEN });
    await all.ended(await player.clear());
    const events = await all.told(stage.prefix, ledger);
    return {
      outcomes,
      left,
      chosen: found,
      events,
      chosenEvents: await chosen.told(stage.prefix, ledger, least),
    };
  };

  test.concurrent.each(SUBJECTS.map((subject) => [subject.kind.kind, subject] as const))(
    '%s',
    { timeout: TIMEOUT_MS },
    async (_, subject) => {
      const logs = await openLogs(pair(), subject);
      const meddled: string[] = [];
      const compare = async (played: readonly Step[]): Promise<void> => {
        sequence += 1;
        const stage = { kind: subject.kind, namespace: pair().namespace, prefix: `s${sequence}-` };
        const embedded = await play(pair().sides[0], logs[0], { stage, played, least: 0 });
        const least = embedded.chosenEvents.length;
        const real = await play(pair().sides[1], logs[1], { stage, played, least });
        expect(embedded.outcomes).toEqual(real.outcomes);
        expect(embedded).toEqual(real);
      };
      const property = fc.asyncProperty(steps(subject), (played) =>
        compare(played).catch((error: unknown) => {
          meddled.push(String(error));
          if (!(error instanceof Meddled) || meddled.length > MAX_MEDDLED) throw error;
          fc.pre(false);
        }),
      );
      try {
        await fc.assert(property, { numRuns: RUNS, ...SEED });
      } finally {
        for (const { all, chosen } of logs) {
          all.close();
          chosen.close();
        }
      }
      if (meddled.length > 0)
        console.warn(`${meddled.length} sequences were void, the last one because of: ${meddled.at(-1)}`);
    },
  );
});
