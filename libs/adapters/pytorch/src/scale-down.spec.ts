/** Which workers of a PyTorchJob are deleted when it is scaled down. */
import { newWorld, planJob } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import {
  admitted,
  ANNOTATIONS,
  pytorchJobDefinition,
  type PyTorchElasticPolicy,
  type PyTorchJob,
} from '@muster/job-api';
import { podsOfRoles, specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { pytorchAdapter } from './pytorch-adapter.ts';

interface Shape {
  /** The created pods, a letter each. */
  readonly pods?: Readonly<Record<string, string>>;
  readonly workers: number;
  readonly elasticPolicy?: PyTorchElasticPolicy;
  /** In the annotation. */
  readonly named?: string;
}

const RUNNING = { Worker: 'RRR' };

function planOf(
  { pods = RUNNING, workers, elasticPolicy, named }: Shape,
  emitted: ReadonlySet<string> = new Set(),
): Planned {
  const stored = admitted(pytorchJobDefinition, {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'mnist' },
    spec: { pytorchReplicaSpecs: specsOfRoles('pytorch', pods), ...(elasticPolicy && { elasticPolicy }) },
  });
  const metadata = {
    ...{ name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 1, resourceVersion: '1' },
    ...(named !== undefined && { annotations: { [ANNOTATIONS.scaleDownPods]: named } }),
  };
  const before: PyTorchJob = { ...stored, metadata };
  const { Worker, ...others } = before.spec.pytorchReplicaSpecs;
  const pytorchReplicaSpecs = { ...others, ...(Worker && { Worker: { ...Worker, replicas: workers } }) };
  const manifest = { ...before, spec: { ...before.spec, pytorchReplicaSpecs } };
  const world = {
    ...newWorld(manifest, Date.UTC(2030, 0, 1)),
    pods: podsOfRoles(before, 'pytorch', pods),
    emittedEvents: emitted,
  };
  return planned(planJob(pytorchAdapter(), world, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }));
}

const BOUNDS = { minReplicas: 1, maxReplicas: 4 };

const goingOf = ({ remove }: Planned) => remove.pods.map(({ metadata }) => metadata?.name);
const keptOf = ({ events }: Planned) => events.filter(({ reason }) => reason === 'ScaleDownPodKept');

describe('a PyTorchJob that is scaled down by names', () => {
  it.each<[what: string, Shape, going: string[], kept: string[]]>([
    ['deletes the named worker', { workers: 2, named: 'mnist-worker-1' }, ['mnist-worker-1'], []],
    ['keeps worker 0, to which the others connect', { workers: 2, named: 'mnist-worker-0' }, ['mnist-worker-2'], ['0']],
    [
      'deletes worker 0 if the others connect to a master',
      { pods: { Master: 'R', ...RUNNING }, workers: 2, named: 'mnist-worker-0' },
      ['mnist-worker-0'],
      [],
    ],
    [
      'keeps the host of its rendezvous, and deletes the other named workers',
      { workers: 1, elasticPolicy: BOUNDS, named: 'mnist-worker-0,mnist-worker-2' },
      ['mnist-worker-1', 'mnist-worker-2'],
      ['0'],
    ],
    [
      'keeps the host of its rendezvous beside a master',
      { pods: { Master: 'R', ...RUNNING }, workers: 2, elasticPolicy: BOUNDS, named: 'mnist-worker-0' },
      ['mnist-worker-2'],
      ['0'],
    ],
    [
      'keeps the given host of the rendezvous, which is not worker 0',
      { workers: 2, elasticPolicy: { ...BOUNDS, rdzvHost: 'mnist-worker-2.mnist.team.svc' }, named: 'mnist-worker-2' },
      ['mnist-worker-1'],
      ['2'],
    ],
    [
      'keeps that host also without named workers',
      { workers: 2, elasticPolicy: { ...BOUNDS, rdzvHost: 'mnist-worker-2' } },
      ['mnist-worker-1'],
      [],
    ],
    [
      'deletes worker 0 if the rendezvous is elsewhere',
      { workers: 2, elasticPolicy: { ...BOUNDS, rdzvBackend: 'etcd-v2', rdzvHost: 'etcd' }, named: 'mnist-worker-0' },
      ['mnist-worker-0'],
      [],
    ],
    [
      'deletes a worker that does not run before the highest index, if it is elastic',
      { pods: { Worker: 'RFR' }, workers: 2, elasticPolicy: BOUNDS },
      ['mnist-worker-1'],
      [],
    ],
    [
      'deletes worker 0 if each worker trains alone',
      { workers: 2, elasticPolicy: { ...BOUNDS, standalone: true }, named: 'mnist-worker-0' },
      ['mnist-worker-0'],
      [],
    ],
  ])('%s', (_what, shape, going, kept) => {
    const plan = planOf(shape);
    expect(goingOf(plan).sort()).toEqual(going);
    expect(keptOf(plan).map(({ note }) => /mnist-worker-(\d)/.exec(note)?.[1])).toEqual(kept);
  });

  it('warns once that it keeps a named worker', () => {
    const [event, ...others] = keptOf(planOf({ workers: 2, named: 'mnist-worker-0' }));
    expect([event?.type, others]).toEqual(['Warning', []]);
    expect(keptOf(planOf({ workers: 2, named: 'mnist-worker-0' }, new Set([event?.dedupKey ?? ''])))).toEqual([]);
  });
});
