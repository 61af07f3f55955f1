import type { Tenant } from '../tenant.ts';
import { waitFor } from '../wait-for.ts';
import { type JobsSeen, watchJobs } from './jobs-seen.ts';
import type { Stage } from './stage.ts';

/** What REST shows of a function, as far as scenarios look at it. */
export interface Shown {
  readonly phase: string;
  readonly message: string;
  readonly image: string | null;
  readonly s3_key: string | null;
  readonly ready_replicas: number;
  readonly last_built_at: string | null;
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

/** A function with an http Trigger of its own name, of a user of its own. */
export interface ServedFunction {
  readonly name: string;
  readonly namespace: string;
  readonly tenant: Tenant;
  /** Every Job that its namespace ever had. */
  readonly jobs: JobsSeen;
  /** Where anybody calls it. */
  readonly url: string;
  /** Uploads code that answers this word; the key. */
  upload(word: string): Promise<string>;
  /** Uploads code that answers this word, and waits until that is what serves; the key. */
  serve(word: string): Promise<string>;
  shown(): Promise<Shown>;
  /** Waits until REST shows what is wanted. */
  until(what: string, holds: (shown: Shown) => boolean): Promise<Shown>;
  /** Waits until it is Ready with that key. */
  ready(key: string): Promise<Shown>;
  /** Waits until a call is answered so. */
  answers(status: number, body?: string): Promise<Response>;
}

/** Images may have to come to the node first, and this machine may have much else to do. */
const PATIENCE_MS = 150_000;

export interface FunctionOptions {
  readonly name?: string;
  readonly tenant?: Tenant;
  /** More fields of the function, as REST takes them. */
  readonly fields?: object;
}

export const codeOf = (word: string): Readonly<Record<string, string>> => ({
  'handler.py': `def handle(event):\n    return {"word": "${word}"}\n`,
});
/** What `codeOf` answers. */
export const said = (word: string): string => `{"word":"${word}"}`;

/** Makes the function and its Trigger; there is no code yet. */
export async function declareFunction(stage: Stage, options: FunctionOptions = {}): Promise<ServedFunction> {
  const { name = 'hello', fields = {} } = options;
  const tenant = options.tenant ?? (await stage.tenant());
  const { namespace } = tenant;
  const jobs = watchJobs(stage.real.cluster, namespace);
  stage.cleanup.add(`watch of ${namespace}`, jobs.close);
  await tenant.call('POST', '/functions', { name, runtime: 'python3.11', ...fields });
  await tenant.call('POST', '/triggers', { name, type: 'http', function: name });
  const shown = async () => (await tenant.describe(name)) as unknown as Shown;
  const until: ServedFunction['until'] = (what, holds) =>
    waitFor({ for: `${namespace}/${name}: ${what}`, timeoutMs: PATIENCE_MS, look: shown, holds });
  const ready = (key: string) =>
    until(`Ready with ${key}`, ({ phase, s3_key }) => phase === 'Ready' && s3_key === key);
  const upload = (word: string) => tenant.upload(name, codeOf(word));
  const answers: ServedFunction['answers'] = (status, body) =>
    waitFor({
      for: `${namespace}/${name} answers ${status} ${body ?? ''}`,
      timeoutMs: PATIENCE_MS,
      look: async () => {
        const answer = await tenant.invoke(name);
        return { answer, status: answer.status, body: await answer.text() };
      },
      holds: (seen) => seen.status === status && (body === undefined || seen.body === body),
    }).then(({ answer }) => answer);
  const serve = async (word: string) => {
    const key = await upload(word);
    await ready(key);
    await answers(200, said(word));
    return key;
  };
  const url = `${stage.sless().proxy.url}/fn/${namespace}/${name}`;
  return { name, namespace, tenant, jobs, url, upload, serve, shown, until, ready, answers };
}
