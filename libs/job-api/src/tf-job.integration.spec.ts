import { testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { TF_ADMISSION } from '../test/tf-job-cases.ts';
import type { Resource } from './kubernetes.ts';
import { TF_CONTAINER, TF_JOBS } from './tf-job.ts';

const cluster = await testCluster();
const { client } = cluster;

describeAdmission(TF_ADMISSION, cluster);

describe('the scale of a TFJob', () => {
  // Untyped manifests.
  const MANIFESTS: Resource = TF_JOBS;
  const template = { spec: { containers: [{ name: TF_CONTAINER, image: 'registry.example/train:1' }] } };
  let namespace: string;

  beforeAll(async () => {
    namespace = await cluster.namespace();
  });

  async function jobOf(name: string, spec: object, state?: string) {
    const tfReplicaSpecs = { Worker: { replicas: 2, template } };
    const manifest = { metadata: { name, namespace }, spec: { tfReplicaSpecs, ...spec } };
    await client.create(MANIFESTS, manifest);
    if (state !== undefined) await client.patchStatus(TF_JOBS, { namespace, name }, { status: { state } });
  }

  const scaledTo = (name: string, replicas: number) =>
    client.patch(TF_JOBS, { namespace, name }, { spec: { replicas } }, { subresource: 'scale' });
  const patched = (name: string, spec: object) => client.patch(TF_JOBS, { namespace, name }, { spec });

  it.each<[what: string, name: string, spec: object, state?: string]>([
    ['of dynamic workers', 'dynamic', { enableDynamicWorker: true }, 'Running'],
    ['before anything was made of it', 'new', {}],
    ['while it is suspended', 'suspended', { runPolicy: { suspend: true } }, 'Suspended'],
    ['of one that could not begin', 'failed', {}, 'Failed'],
  ])('is taken %s', async (_what, name, spec, state) => {
    await jobOf(name, spec, state);
    await expect(scaledTo(name, 3)).resolves.toBeDefined();
  });

  it.each(['Created', 'Running', 'Restarting'])(
    'is rejected if the workers are fixed and the job is %s',
    async (state) => {
      const name = `fixed-${state.toLowerCase()}`;
      await jobOf(name, {}, state);
      await expect(scaledTo(name, 3)).rejects.toThrow(
        /spec\.tfReplicaSpecs(\[Worker\]|\.Worker)\.replicas.*cannot be changed while the job runs: TF_CONFIG/,
      );
      await expect(scaledTo(name, 2)).resolves.toBeDefined();
      await expect(patched(name, { runPolicy: { backoffLimit: 3 } })).resolves.toBeDefined();
      const resized = { tfReplicaSpecs: { Worker: { replicas: 3 } } };
      await expect(patched(name, { ...resized, runPolicy: { suspend: true } })).resolves.toBeDefined();
    },
  );

  it.each(['Succeeded', 'Failed'])('is rejected if the job has ended: %s', async (state) => {
    const name = `ended-${state.toLowerCase()}`;
    await jobOf(name, {}, state);
    await client.patchStatus(TF_JOBS, { namespace, name }, { status: { ready: '0/2' } });
    await expect(scaledTo(name, 3)).rejects.toThrow('cannot be changed: the job has ended');
  });

  it('fails without changes if the role is spelled differently from the path', async () => {
    await jobOf('lower', { enableDynamicWorker: true, tfReplicaSpecs: { worker: { replicas: 2, template } } });
    await expect(scaledTo('lower', 3)).rejects.toThrow('spec.tfReplicaSpecs.Worker.template: Required value');
  });
});
