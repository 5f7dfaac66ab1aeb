import { ensureBinaries, type Progress } from '@muster/cluster';

import type { LayerDefinition } from './image-definition.ts';

/**
 * The layer with its programs as files of this machine. Missing ones are built from their Go modules, which takes minutes the first time;
 * an error says what the build needs.
 */
export async function withProgramFiles(layer: LayerDefinition, progress: Progress): Promise<LayerDefinition> {
  if (layer.kind !== 'files' || layer.programs === undefined) return layer;
  const targets = Object.keys(layer.programs);
  const sources = await ensureBinaries(Object.values(layer.programs), progress);
  const programs = targets.map((target, i) => [target, sources[i] ?? ''] as const);
  return { kind: 'files', files: { ...layer.files, ...Object.fromEntries(programs) } };
}
