import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createChatModel } from '../adapters/openai-chat.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config.ts';
import type { Logger } from '../ports/logger.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { createReviewGate, type ReviewGate, type ReviewOutcome } from '../review/gate.ts';
import { storedVerdicts } from '../review/stored-verdicts.ts';

/** It lies beside the gate, in a checkout and in the package alike. */
const DEFAULT_PROMPT = join(import.meta.dirname, '../review/default-prompt.txt');

interface ReviewDeps {
  readonly store: ObjectStore;
  readonly logger: Logger;
  readonly observe: (outcome: ReviewOutcome) => void;
}

/**
 * The gate that an installation asks for; `undefined` where it asks for none.
 *
 * @throws ConfigError when the prompt cannot be used
 */
export function openReviewGate(
  { store, logger, observe }: ReviewDeps,
  config: Config,
): ReviewGate | undefined {
  if (!config.llmEnabled) return undefined;
  // Required with the gate, so `loadConfig` has refused to go on without them.
  const { llmEndpoint: endpoint = '', llmModel: model = '', llmTimeout: timeoutMs } = config;
  const apiKey = keyOf(config);
  const chat = createChatModel(fetch, {
    endpoint,
    model,
    timeoutMs,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const template = promptOf(config.llmPromptFile ?? DEFAULT_PROMPT);
  return createReviewGate(
    { model: chat, verdicts: storedVerdicts(store), newBoundary: randomUUID, logger, observe },
    { template, failClosed: config.llmFailClosed },
  );
}

/** The file before the variable: whoever has both is on the way from the one to the other. */
function keyOf({ llmApiKey, llmApiKeyFile }: Config): (() => Promise<string>) | undefined {
  if (llmApiKeyFile !== undefined) return async () => (await readFile(llmApiKeyFile, 'utf8')).trim();
  return llmApiKey === undefined ? undefined : async () => llmApiKey;
}

function promptOf(path: string): string {
  try {
    const template = readFileSync(path, 'utf8');
    if (template.includes('{files_content}')) return template;
  } catch {
    throw new ConfigError([`LLM_PROMPT_FILE cannot be read: ${path}`]);
  }
  throw new ConfigError([`LLM_PROMPT_FILE must hold {files_content}, where the code goes: ${path}`]);
}
