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

function warningsOf({ env = [], master = false, workers = 2, elasticPolicy }: Shape, told = new Set<string>()) {
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
  const world = { ...newWorld({ ...stored, metadata }, Date.UTC(2030, 0, 1)), emittedEvents: told };
  const plan = planned(planJob(pytorchAdapter(), world, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }));
  return {
    events: plan.events.filter(({ reason }) => reason === 'SpecWarning'),
    env: plan.create.pods[0]?.spec?.containers[0]?.env,
  };
}

const OF_WORKER = 'spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].env';
const kept = (names: string) =>
  `${OF_WORKER}: ${names}: kept as set here, and not what Muster would tell the pods. Remove it unless that is meant`;

describe('a PyTorchJob that can be run', () => {
  it.each<[what: string, Shape, warnings: string[]]>([
    [
      'is warned of nothing',
      {
        env: [
          { name: 'EPOCHS', value: '3' },
          { name: 'PYTHONUNBUFFERED', value: '0' },
        ],
      },
      [],
    ],
    ['is warned of a rank that is the same for all', { env: [{ name: 'RANK', value: '0' }] }, [kept('RANK')]],
    [
      'is warned of several variables at once, also of those whose value nobody sees',
      {
        env: [
          { name: 'MASTER_PORT', value: '29500' },
          { name: 'PET_NNODES', valueFrom: {} },
        ],
      },
      [kept('MASTER_PORT, PET_NNODES')],
    ],
    ['is not warned of the value that it would be told', { env: [{ name: 'WORLD_SIZE', value: '2' }] }, []],
    ['is not warned of what its form is not told', { env: [{ name: 'PET_RDZV_ID', value: 'mine' }] }, []],
    [
      'is warned of the bounds where torchrun is told others',
      { env: [{ name: 'PET_NNODES', value: '2' }], elasticPolicy: { minReplicas: 1, maxReplicas: 4 } },
      [kept('PET_NNODES')],
    ],
    [
      'is warned of fewer pods than torchrun waits for',
      { elasticPolicy: { minReplicas: 3, maxReplicas: 4 } },
      ['spec.elasticPolicy.minReplicas: is 3, and there are 2 pods: torchrun waits for more in vain'],
    ],
    ['is not where a master is one of them', { master: true, elasticPolicy: { minReplicas: 3, maxReplicas: 4 } }, []],
    [
      'is warned of more workers than torchrun takes',
      { workers: 5, elasticPolicy: { minReplicas: 1, maxReplicas: 4 } },
      ['spec.elasticPolicy.maxReplicas: is 4, and there are 5 workers: torchrun leaves the others idle'],
    ],
    [
      'is warned of a rendezvous that is not read',
      { elasticPolicy: { minReplicas: 1, maxReplicas: 2, standalone: true, rdzvHost: 'etcd' } },
      ['spec.elasticPolicy.rdzvHost: is not read: with standalone each pod makes its own rendezvous'],
    ],
    [
      'is warned where it cannot shrink',
      { elasticPolicy: { minReplicas: 2, maxReplicas: 4, fitToCapacity: {} } },
      ['spec.elasticPolicy.fitToCapacity: does nothing: minReplicas is 2, and there are 2 workers'],
    ],
  ])('%s', (_what, shape, warnings) => {
    const { events } = warningsOf(shape);
    expect(events.map(({ note }) => note)).toEqual(warnings);
    const told = new Set(events.map(({ dedupKey = '' }) => dedupKey));
    expect(warningsOf(shape, told).events).toEqual([]);
  });

  it('has its own variable kept', () => {
    const own = { name: 'RANK', value: '0' };
    expect(warningsOf({ env: [own] }).env?.filter(({ name }) => name === 'RANK')).toEqual([own]);
  });
});
