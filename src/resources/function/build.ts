import { z } from 'zod';
import { ANNOTATIONS, LABELS } from '../kube/labels.ts';
import { annotationOf, type KubeObject, labelOf } from '../kube/object.ts';
import { buildTag, functionImage } from './image.ts';
import type { FunctionSpec } from './schema.ts';
import type { FunctionSettings } from './settings.ts';

/** How code becomes an image: as a layer on the runtime's image, or by its Dockerfile. */
export const BUILD_STRATEGIES = ['append', 'dockerfile'] as const;
export type BuildStrategy = (typeof BUILD_STRATEGIES)[number];

/** All that a build Job is made from, and all that can be read back from one. */
export interface Build {
  readonly namespace: string;
  /** The Function's name. */
  readonly name: string;
  readonly job: string;
  readonly key: string;
  readonly runtimeImage: string;
  /** Where the image goes, by tag. */
  readonly image: string;
  readonly strategy: BuildStrategy;
  readonly rebuild: string | undefined;
  readonly timeoutSeconds: number;
}

interface PlannedBuild {
  readonly parent: KubeObject;
  readonly spec: FunctionSpec;
  readonly key: string;
  readonly runtimeImage: string;
  readonly rebuild: string | undefined;
}

/** The build of a key. Its Job's name carries the hash of all that goes into the image, and of the Function's uid. */
export function planBuild(planned: PlannedBuild, settings: FunctionSettings): Build {
  const { parent, spec, key, runtimeImage, rebuild } = planned;
  const { name, namespace = '', uid = '' } = parent.metadata;
  const tag = buildTag({ uid, key, runtimeImage, rebuild });
  return {
    namespace,
    name,
    job: `${name}-b-${tag}`,
    key,
    runtimeImage,
    image: functionImage(settings, { namespace, name, tag }),
    strategy: buildStrategy(parent, spec, key),
    rebuild,
    timeoutSeconds: spec.buildTimeoutSeconds,
  };
}

/**
 * What the spec says; for `auto`, what the upload of this very key found. Nobody looked into code that came without an upload, so it
 * is built the way that installs dependencies.
 */
function buildStrategy(parent: KubeObject, spec: FunctionSpec, key: string): BuildStrategy {
  if (spec.build !== 'auto') return spec.build;
  return parent.metadata.annotations?.[ANNOTATIONS.buildPlan] === `${key}=append` ? 'append' : 'dockerfile';
}

const isStrategy = (text: string | undefined): text is BuildStrategy =>
  BUILD_STRATEGIES.some((known) => known === text);

const jobSpec = z.object({ activeDeadlineSeconds: z.int().min(1) });

/** What an observed Job was made from; `undefined` when it is no build of ours, or was altered beyond reading. */
export function readBuild(job: KubeObject): Build | undefined {
  const key = annotationOf(job, ANNOTATIONS.builtKey);
  const runtimeImage = annotationOf(job, ANNOTATIONS.runtimeImage);
  const image = annotationOf(job, ANNOTATIONS.image);
  const strategy = annotationOf(job, ANNOTATIONS.strategy);
  const spec = jobSpec.safeParse(job.spec).data;
  if (
    spec === undefined ||
    key === undefined ||
    runtimeImage === undefined ||
    image === undefined ||
    !isStrategy(strategy)
  )
    return undefined;
  return {
    namespace: job.metadata.namespace ?? '',
    name: labelOf(job, LABELS.function) ?? '',
    job: job.metadata.name,
    key,
    runtimeImage,
    image,
    strategy,
    rebuild: annotationOf(job, ANNOTATIONS.rebuild),
    timeoutSeconds: spec.activeDeadlineSeconds,
  };
}
