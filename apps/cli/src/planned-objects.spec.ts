import { describe, expect, it } from 'vitest';
import { plannedObjects } from './planned-objects.ts';

const OPTIONS = { namespace: 'default', serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

const job = (pytorchReplicaSpecs: object, metadata: object = { name: 'train' }) => ({
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  metadata,
  spec: { pytorchReplicaSpecs },
});
const template = { spec: { containers: [{ name: 'pytorch', image: 'registry.example/train:1' }] } };

describe('plannedObjects', () => {
  it('are those that the operator would make, in their order', () => {
    const planned = plannedObjects(job({ Master: { template }, Worker: { replicas: 2, template } }), OPTIONS);
    const objects = 'objects' in planned ? planned.objects : [];
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata?.namespace}/${metadata?.name}`)).toEqual([
      'Service default/train',
      'Service default/train-master-0',
      'Pod default/train-master-0',
      'Pod default/train-worker-0',
      'Pod default/train-worker-1',
    ]);
  });

  it("keep the job's own namespace", () => {
    const planned = plannedObjects(job({ Worker: { template } }, { name: 'train', namespace: 'team' }), OPTIONS);
    expect('objects' in planned && planned.objects[0]?.metadata?.namespace).toBe('team');
  });

  it.each([
    {
      name: 'bad field',
      manifest: job({ Master: { replicas: 2, template } }),
      says: 'spec.pytorchReplicaSpecs[Master].replicas: ',
    },
    {
      name: 'bad annotation',
      manifest: job({ Worker: { template } }, { name: 'train', annotations: { 'muster.dev/service-mode': 'perjob' } }),
      says: 'metadata.annotations[muster.dev/service-mode]: Unsupported value: "perjob"',
    },
    {
      name: 'unknown kind',
      manifest: { apiVersion: 'batch/v1', kind: 'Job' },
      says: 'no operator runs Job of batch/v1',
    },
    { name: 'not an object of Kubernetes', manifest: {}, says: 'no operator runs an object without kind' },
  ])('are problems instead where the manifest has some: $name', ({ manifest, says }) => {
    const planned = plannedObjects(manifest, OPTIONS);
    expect('problems' in planned && planned.problems.join('\n')).toContain(says);
  });
});
