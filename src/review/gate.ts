import { createHash } from 'node:crypto';
import { isSlessError, SlessError } from '../errors.ts';
import type { CodeModel } from '../ports/code-model.ts';
import type { Logger } from '../ports/logger.ts';
import { reviewPrompt } from './prompt.ts';
import type { IncomingFile, ReviewedFile } from './readable.ts';
import { readFiles } from './reading.ts';
import { type ModelVerdict, readVerdict } from './verdict.ts';

/** What a review came to, as it is kept beside the upload. Uploads that are refused are not kept. */
export interface Review {
  /** `safe`: the model says so. `too large`: no model reads that much. `unreviewed`: it could not be asked. */
  readonly verdict: 'safe' | 'too large' | 'unreviewed';
  /** The model's name, when it gave the verdict. */
  readonly model?: string;
}

/** How a review ended, for metrics. `rule`: a fixed rule refused it. */
export type ReviewOutcome = 'safe' | 'unsafe' | 'rule' | 'too large' | 'unreviewed';

/** Code on its way in. */
export interface ReviewRequest {
  readonly runtime: string;
  /** In any order. They are not read to their ends when the first of them is refused. */
  readonly files: AsyncIterable<IncomingFile>;
  /** SHA-256 of the files: the same content is not asked about twice. */
  readonly codeHash: string;
}

/** Verdicts by key, kept over restarts and shared by processes. */
export interface VerdictStore {
  read(key: string): Promise<ModelVerdict | undefined>;
  write(key: string, verdict: ModelVerdict): Promise<void>;
}

/** Reads code before it is stored. */
export interface ReviewGate {
  /** @throws SlessError `InvalidCode`, with the reason; `Unavailable` when it fails closed and the model cannot be asked */
  review(request: ReviewRequest): Promise<Review>;
}

interface GateDeps {
  readonly model: CodeModel;
  readonly verdicts: VerdictStore;
  /** Unguessable, such as `crypto.randomUUID`. */
  readonly newBoundary: () => string;
  readonly logger: Logger;
  /** Told of every review, for metrics. */
  readonly observe?: (outcome: ReviewOutcome) => void;
}

interface GateOptions {
  readonly template: string;
  /** Whether what cannot be reviewed is refused. */
  readonly failClosed: boolean;
}

/** A gate of fixed rules and a model, in this order. */
export function createReviewGate(deps: GateDeps, options: GateOptions): ReviewGate {
  const { observe = () => {} } = deps;
  const asking: Asking = new Map();
  return {
    review: async (request) => {
      const reading = await readFiles(request.files);
      if ('broken' in reading) {
        observe('rule');
        throw refused(reading.broken);
      }
      if ('tooLarge' in reading) {
        observe('too large');
        return { verdict: 'too large' };
      }
      const verdict = await judge({ ...deps, asking }, options, { ...request, files: reading.files });
      observe(verdict === undefined ? 'unreviewed' : verdict.safe ? 'safe' : 'unsafe');
      if (verdict === undefined) return { verdict: 'unreviewed' };
      if (!verdict.safe) throw refused(verdict.reason);
      return { verdict: 'safe', model: deps.model.name };
    },
  };
}

/** Questions under way, by the key of their verdict: whoever asks the same meanwhile waits for that one. */
type Asking = Map<string, Promise<ModelVerdict>>;

const refused = (reason: string): SlessError =>
  new SlessError('InvalidCode', `code validation failed: ${reason}`);

/** The model's verdict, or the one that it gave before; `undefined` when there is none and the upload passes all the same. */
async function judge(
  deps: GateDeps & { readonly asking: Asking },
  { template, failClosed }: GateOptions,
  { runtime, files, codeHash }: Omit<ReviewRequest, 'files'> & { readonly files: readonly ReviewedFile[] },
): Promise<ModelVerdict | undefined> {
  // Another model, prompt or runtime is another question.
  const key = createHash('sha256')
    .update([deps.model.name, template, runtime, codeHash].join('\0'))
    .digest('hex');
  try {
    const { asking } = deps;
    const known = await (asking.get(key) ?? deps.verdicts.read(key));
    if (known !== undefined) return known;
    const prompt = () => reviewPrompt({ template, runtime, files, boundary: deps.newBoundary() });
    const asked = asking.get(key) ?? ask(deps, key, prompt()).finally(() => asking.delete(key));
    asking.set(key, asked);
    return await asked;
  } catch (error) {
    if (!isSlessError(error)) throw error;
    if (failClosed)
      throw new SlessError(
        'Unavailable',
        'the code cannot be reviewed now, and this installation takes none unreviewed',
        {
          cause: error,
          retryAfterSeconds: 30,
        },
      );
    deps.logger.warn({ err: error, codeHash }, 'CODE IS TAKEN UNREVIEWED: the model cannot be asked');
    return undefined;
  }
}

/** @throws SlessError `Unavailable` */
async function ask({ model, verdicts }: GateDeps, key: string, prompt: string): Promise<ModelVerdict> {
  const verdict = readVerdict(await model.ask(prompt));
  if (verdict === undefined)
    throw new SlessError('Unavailable', 'the model answers in another form than it was asked to');
  await verdicts.write(key, verdict);
  return verdict;
}
