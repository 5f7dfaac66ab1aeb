import { newWorld, planJob } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import { admitted, pytorchJobDefinition, type PyTorchElasticPolicy } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { pytorchAdapter } from './pytorch-adapter.ts';

interface Shape {
  readonly env?: readonly { name: string; value?: string; valueFrom?: object }[];
  readonly master?: boolean;
  readonly workers?: number;
  readonly elasticPolicy?: PyTorchElasticPolicy;
}

function warningsOf({ env = [], master = false, workers = 2, elasticPolicy }: Shape, emitted = new Set<string>()) {
  const role = (replicas: number) => ({
    replicas,
    template: { spec: { containers: [{ name: 'pytorch', image: 'train:1', env }] } },
  });
  const stored = admitted(pytorchJobDefinition, {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'mnist' },
    spec: {
      pytorchReplicaSpecs: { ...(master && { Master: role(1) }), Worker: role(workers) },
      ...(elasticPolicy && { elasticPolicy }),
    },
  });
  const metadata = { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' };
  const world = { ...newWorld({ ...stored, metadata }, Date.UTC(2030, 0, 1)), emittedEvents: emitted };
  const plan = planned(planJob(pytorchAdapter(), world, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }));
  return {
    events: plan.events.filter(({ reason }) => reason === 'SpecWarning'),
    env: plan.create.pods[0]?.spec?.containers[0]?.env,
  };
}

const OF_WORKER = 'spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].env';
const kept = (names: string) =>
  `${OF_WORKER}: ${names}: set here, which overrides Muster's value. Remove it unless that is intended`;

describe('a valid PyTorchJob', () => {
  it.each<[what: string, Shape, warnings: string[]]>([
    [
      'gets no warning',
      {
        env: [
          { name: 'EPOCHS', value: '3' },
          { name: 'PYTHONUNBUFFERED', value: '0' },
        ],
      },
      [],
    ],
    ['gets a warning about a rank that is the same for all', { env: [{ name: 'RANK', value: '0' }] }, [kept('RANK')]],
    [
      'gets warnings about several variables at once, also those from a reference',
      {
        env: [
          { name: 'MASTER_PORT', value: '29500' },
          { name: 'PET_NNODES', valueFrom: {} },
        ],
      },
      [kept('MASTER_PORT, PET_NNODES')],
    ],
    ['gets no warning about a variable with the default value', { env: [{ name: 'WORLD_SIZE', value: '2' }] }, []],
    [
      'gets no warning about a variable that is not set for its form',
      { env: [{ name: 'PET_RDZV_ID', value: 'mine' }] },
      [],
    ],
    [
      'gets a warning about bounds that differ from those of torchrun',
      { env: [{ name: 'PET_NNODES', value: '2' }], elasticPolicy: { minReplicas: 1, maxReplicas: 4 } },
      [kept('PET_NNODES')],
    ],
    [
      'gets a warning about fewer pods than torchrun waits for',
      { elasticPolicy: { minReplicas: 3, maxReplicas: 4 } },
      ['spec.elasticPolicy.minReplicas: is 3, and there are 2 pods: torchrun waits forever for more'],
    ],
    [
      'gets no warning about pods that include a master',
      { master: true, elasticPolicy: { minReplicas: 3, maxReplicas: 4 } },
      [],
    ],
    [
      'gets a warning about more workers than torchrun accepts',
      { workers: 5, elasticPolicy: { minReplicas: 1, maxReplicas: 4 } },
      ['spec.elasticPolicy.maxReplicas: is 4, and there are 5 workers: torchrun leaves the others idle'],
    ],
    [
      'gets a warning about a rendezvous that is ignored',
      { elasticPolicy: { minReplicas: 1, maxReplicas: 2, standalone: true, rdzvHost: 'etcd' } },
      ['spec.elasticPolicy.rdzvHost: is ignored: with standalone each pod has its own rendezvous'],
    ],
    [
      'gets a warning if it cannot shrink',
      { elasticPolicy: { minReplicas: 2, maxReplicas: 4, fitToCapacity: {} } },
      ['spec.elasticPolicy.fitToCapacity: has no effect: minReplicas is 2, and there are 2 workers'],
    ],
  ])('%s', (_what, shape, warnings) => {
    const { events } = warningsOf(shape);
    expect(events.map(({ note }) => note)).toEqual(warnings);
    const emitted = new Set(events.map(({ dedupKey = '' }) => dedupKey));
    expect(warningsOf(shape, emitted).events).toEqual([]);
  });

  it('keeps its own variable', () => {
    const own = { name: 'RANK', value: '0' };
    expect(warningsOf({ env: [own] }).env?.filter(({ name }) => name === 'RANK')).toEqual([own]);
  });
});
