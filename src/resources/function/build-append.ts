import type { Build } from './build.ts';
import {
  type BuildPod,
  fetchStep,
  pushStep,
  registryVolumes,
  tokenVolume,
  WORK,
  workVolume,
} from './build-steps.ts';
import type { FunctionSettings } from './settings.ts';

/** Code without dependencies is one layer upon the runtime's image. */
export function appendPod(build: Build, settings: FunctionSettings): BuildPod {
  const { builder } = settings;
  const layer = `${WORK}/layer.tar.gz`;
  return {
    initContainers: [fetchStep(build, settings, { format: 'layer', file: layer })],
    containers: [pushStep(build, settings, { file: layer, base: build.runtimeImage })],
    volumes: [workVolume(builder), tokenVolume(), ...registryVolumes(builder)],
  };
}
