/**
 * What manifests of upstream's form get, object for object. The files in `golden/` were compared by hand with Kubeflow's
 * own rules (docs/differences.md names what is different on purpose); `vitest -u` writes them anew.
 */
import { readFile } from 'node:fs/promises';
import { newWorld, planJob } from '@muster/common-job-controller';
import { SERVICE_MODES, type PyTorchJob } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { pytorchAdapter } from './pytorch-adapter.ts';

const GOLDEN = new URL('../golden/', import.meta.url);
const CASES = ['static', 'masterless', 'elastic', 'ports-and-env', 'several-processes'];

async function manifestOf(name: string): Promise<PyTorchJob> {
  const manifest = parse(await readFile(new URL(`${name}.yaml`, GOLDEN), 'utf8')) as PyTorchJob;
  const identity = { uid: '11111111-2222-3333-4444-555555555555', namespace: 'team', generation: 1 };
  return { ...manifest, metadata: { ...manifest.metadata, ...identity } };
}

describe.each(SERVICE_MODES)('objects of a PyTorchJob in mode %s', (serviceMode) => {
  it.each(CASES)('%s', async (name) => {
    const manifest = await manifestOf(name);
    const { create } = planJob(pytorchAdapter(), newWorld(manifest, 0), {
      serviceMode,
      clusterDomain: 'cluster.local',
    });
    const objects = [...create.services, ...create.pods].map((object) =>
      stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }),
    );
    await expect(objects.join('---\n')).toMatchFileSnapshot(`../golden/${name}.${serviceMode}.objects.yaml`);
  });
});
