import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { KUBERNETES_VERSION, silentProgress } from '@muster/cluster';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { LayerDefinition } from './image-definition.ts';
import { layerKey } from './layer-key.ts';
import { withProgramFiles } from './program-files.ts';

describe("a layer with one of the cluster's programs", () => {
  let folder: string;
  let layer: LayerDefinition;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-programs-'));
    // An installed program of the right release is used; an empty cache hides programs that were built before.
    vi.stubEnv('MUSTER_CACHE', join(folder, 'cache'));
    vi.stubEnv('KUBEBUILDER_ASSETS', folder);
    await writeFile(join(folder, 'script'), 'true');
    await installKubectl('one');
    layer = {
      kind: 'files',
      files: { '/bin/script': join(folder, 'script') },
      programs: { '/bin/kubectl': 'kubectl' },
    };
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  async function installKubectl(comment: string): Promise<void> {
    const file = join(folder, 'kubectl');
    await writeFile(file, `#!/bin/sh\n# ${comment}\necho v${KUBERNETES_VERSION}\n`);
    await chmod(file, 0o755);
  }

  it('holds the program that is found on this machine, beside its files', async () => {
    expect(await withProgramFiles(layer, silentProgress)).toEqual({
      kind: 'files',
      files: { '/bin/script': join(folder, 'script'), '/bin/kubectl': join(folder, 'kubectl') },
    });
  });

  it('is recreated when the program changes', async () => {
    const keyNow = async () => layerKey(await withProgramFiles(layer, silentProgress), undefined);
    const before = await keyNow();
    expect(await keyNow()).toBe(before);
    await installKubectl('another');
    expect(await keyNow()).not.toBe(before);
  });

  it('is the only kind that changes', async () => {
    const plain: LayerDefinition = { kind: 'files', files: {} };
    expect(await withProgramFiles(plain, silentProgress)).toBe(plain);
  });
});
