import type { Build } from './build.ts';
import { BUILD_CONTAINERS, CA_PATH, commonOfSteps, type Step } from './build-steps.ts';
import type { FunctionSettings, KanikoSettings } from './settings.ts';

/** Kaniko tells all of its failures by one exit code, so what may pass is tried again by itself; the pauses grow from a second. */
export const RETRIES = 4;

/** Of both modes: where the image goes, and how kaniko speaks. */
export function commonArgs(build: Build, settings: FunctionSettings): string[] {
  const { registryCa } = settings.builder;
  const host = settings.registry.split('/', 1)[0] ?? '';
  return [
    `--destination=${build.image}`,
    `--image-download-retry=${RETRIES}`,
    // By times, sizes, modes and owners: reading every file of the image twice would tell no more of what pip and npm have installed.
    '--snapshot-mode=redo',
    // Its lines come to be read by people, and in places that know no colours.
    '--log-format=text',
    '--log-timestamp=false',
    ...(registryCa === undefined ? [] : [`--registry-certificate=${host}=${CA_PATH}`]),
  ];
}

/** For a base that kaniko pulls by itself. */
export const baseArgs = ({ runtimeImage }: Build): string[] => [
  '--dockerfile=Dockerfile',
  `--build-arg=RUNTIME_IMAGE=${runtimeImage}`,
];

export const pullArgs = ({ builder }: FunctionSettings): string[] =>
  builder.insecureRegistry ? ['--insecure-pull', '--skip-tls-verify-pull'] : [];

/** What a mode adds to the step. */
interface Own {
  readonly args: readonly string[];
  readonly env: readonly object[];
  readonly volumeMounts: readonly object[];
}

/** The step that runs what users wrote. */
export function kanikoStep(
  { builder }: FunctionSettings,
  { image }: KanikoSettings,
  { args, env, volumeMounts }: Own,
): Step {
  return {
    args,
    // The API server drops empty lists.
    ...(env.length === 0 ? {} : { env }),
    image,
    ...commonOfSteps(builder, BUILD_CONTAINERS.build),
    // It unpacks images into its own root file system, with their owners.
    securityContext: { allowPrivilegeEscalation: true, runAsNonRoot: false, runAsUser: 0 },
    ...(volumeMounts.length === 0 ? {} : { volumeMounts }),
  };
}
