import type { Runtime } from '../runtimes/catalogue.ts';
import { installStep, type RootFiles } from '../runtimes/install-step.ts';

/** How an image comes about: `dockerfile` runs a package manager, `append` only adds the code as a layer. */
export type BuildStrategy = 'append' | 'dockerfile';

export interface BuildPlan {
  readonly strategy: BuildStrategy;
  /** The text of the context's Dockerfile; `append` leaves it unused, and it builds the same image all the same. */
  readonly dockerfile: string;
}

/**
 * The runtime images run as this user; so do functions, and so does the install step: its scripts are a stranger's, and nothing
 * they need belongs to root. The code is given to this user because npm writes beside it. See docs/adr/0015.
 */
export const RUNTIME_USER = '65532:65532';

/** The Dockerfile's name in a context. */
export const DOCKERFILE = 'Dockerfile';

/** Its argument for the image that it builds upon. */
export const BASE_ARGUMENT = 'RUNTIME_IMAGE';

/** Chooses by the dependency manifests in the function's root: those that ask for nothing need no step. */
export function planBuild(root: RootFiles, runtime: Pick<Runtime, 'install' | 'asking'>): BuildPlan {
  const step = installStep(runtime, root);
  const lines = [
    `ARG ${BASE_ARGUMENT}`,
    `FROM \${${BASE_ARGUMENT}}`,
    `COPY --chown=${RUNTIME_USER} function/ /app/function/`,
  ];
  if (step !== undefined) lines.push(`RUN ${step.docker}`);
  return { strategy: step === undefined ? 'append' : 'dockerfile', dockerfile: `${lines.join('\n')}\n` };
}
