import type { Container } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import type { Peers, PodAdditions } from '../contract/adapter.ts';
import type { Replica } from '../model/training-job.ts';
import { desiredPod, type PodContext } from './desired-pod.ts';

const PER_JOB: PodContext = {
  network: { mode: 'PerJob', jobService: 'mnist' },
  clusterDomain: 'cluster.local',
};
const PER_REPLICA: PodContext = { ...PER_JOB, network: { mode: 'PerReplica', jobService: 'mnist' } };

const LOGS: Container = { name: 'logs', image: 'registry.example/logs:1' };

function podWith(
  containers: Container[],
  additions: (peers: Peers, replica: Replica) => PodAdditions,
  where = PER_JOB,
) {
  const worker = role('Worker', 2, podSpec({}, { containers }));
  const adapter = {
    ...plainAdapter({}),
    pod: (_job: unknown, replica: Replica, peers: Peers) => additions(peers, replica),
  };
  return desiredPod(adapter, trainingJob([worker]), { role: worker, index: 1 }, where);
}

describe('the environment of a pod', () => {
  const ENV = { env: [{ name: 'RANK', value: '1' }], mainEnv: [{ name: 'CONFIG', value: '{}' }] };
  const MAIN: Container = { name: 'main', image: 'registry.example/main:1' };

  const namesIn = (containers: Container[]) =>
    podWith(containers, () => ENV).spec?.containers.map(({ env }) => env?.map(({ name, value }) => `${name}=${value}`));

  it("sets the main container's variables in it only, and the others in all containers", () => {
    expect(namesIn([LOGS, MAIN])).toEqual([['RANK=1'], ['CONFIG={}', 'RANK=1']]);
  });

  it('keeps a variable that the user has set', () => {
    const own = { ...MAIN, env: [{ name: 'CONFIG', value: 'mine' }] };
    expect(namesIn([own])).toEqual([['CONFIG=mine', 'RANK=1']]);
    expect(namesIn([{ ...LOGS, env: [{ name: 'CONFIG', value: 'mine' }] }])).toEqual([['CONFIG=mine', 'RANK=1']]);
  });

  it('is not set in init containers', () => {
    const worker = role('Worker', 1, podSpec({}, { initContainers: [LOGS] }));
    const adapter = { ...plainAdapter({}), pod: () => ENV };
    const { spec } = desiredPod(adapter, trainingJob([worker]), { role: worker, index: 0 }, PER_JOB);
    expect(spec?.initContainers).toEqual([{ ...LOGS, terminationMessagePolicy: 'FallbackToLogsOnError' }]);
  });
});

describe('init containers', () => {
  const WAIT: Container = { name: 'wait-for-master', image: 'registry.example/wait:1' };
  const OWN: Container = { name: 'fetch', image: 'registry.example/fetch:1' };
  const FRAMEWORKS: Container = { name: 'init-framework', image: 'registry.example/init:1' };

  const namesIn = (containers: Container[], initContainers: Container[]) => {
    const worker = role('Worker', 1, podSpec({}, { containers, initContainers }));
    const adapter = { ...plainAdapter({}), pod: () => ({ initContainers: [FRAMEWORKS] }) };
    const context = { ...PER_JOB, waits: new Map([[worker, [WAIT]]]) };
    const { spec } = desiredPod(adapter, trainingJob([worker]), { role: worker, index: 0 }, context);
    return spec?.initContainers?.map(({ name, image }) => `${name} ${image}`);
  };

  it("are, in order, the template's, those that wait for other roles, and the framework's", () => {
    expect(namesIn([LOGS], [OWN])).toEqual([
      'fetch registry.example/fetch:1',
      'wait-for-master registry.example/wait:1',
      'init-framework registry.example/init:1',
    ]);
  });

  it.each<[where: string, containers: Container[], initContainers: Container[]]>([
    ['among its init containers', [LOGS], [{ ...OWN, name: WAIT.name }]],
    ['among its containers', [LOGS, { ...OWN, name: WAIT.name }], []],
  ])('do not wait if the template has a container of the same name %s', (_where, containers, initContainers) => {
    expect(namesIn(containers, initContainers)).not.toContain('wait-for-master registry.example/wait:1');
  });
});

describe('what a queue or scheduler reads from a template', () => {
  it("is in the pod: Kueue's topology request and its scheduling gate", () => {
    const annotations = {
      'kueue.x-k8s.io/podset-required-topology': 'example.com/rack',
      'kueue.x-k8s.io/podset-slice-size': '2',
      'kueue.x-k8s.io/workload': 'pytorchjob-mnist-1a2b3',
    };
    const labels = { 'kueue.x-k8s.io/podset': 'worker', 'kueue.x-k8s.io/tas': 'true' };
    const schedulingGates = [{ name: 'kueue.x-k8s.io/topology' }];
    const worker = role('Worker', 2, podSpec({}, { schedulingGates, nodeSelector: { pool: 'gpu' } }));
    const queued = { ...worker, template: { ...worker.template, metadata: { annotations, labels } } };
    const pod = desiredPod(plainAdapter({}), trainingJob([queued]), { role: queued, index: 1 }, PER_JOB);
    expect(pod).toMatchObject({
      metadata: { annotations, labels },
      spec: { schedulingGates, nodeSelector: { pool: 'gpu' } },
    });
  });
});

describe('the metadata of a template', () => {
  const podOf = (metadata: object) => {
    const worker = { ...role('Worker', 1), template: { metadata, spec: podSpec() } };
    return desiredPod(plainAdapter({}), trainingJob([worker]), { role: worker, index: 0 }, PER_JOB);
  };

  it('gives the pod its finalizers', () => {
    expect(podOf({ finalizers: ['example.com/upload-logs'] }).metadata?.finalizers).toEqual([
      'example.com/upload-logs',
    ]);
  });

  it('adds no empty fields if it has neither annotations nor finalizers', () => {
    expect(Object.keys(podOf({}).metadata ?? {}).sort()).toEqual(['labels', 'name', 'namespace', 'ownerReferences']);
    expect(podOf({}).metadata?.ownerReferences).toMatchObject([{ uid: 'uid-1', controller: true }]);
  });
});

describe('the address of a peer', () => {
  it.each<[what: string, where: PodContext, address: string]>([
    ["is a name of the job's Service", PER_JOB, 'mnist-worker-1.mnist.team.svc'],
    [
      "is one of the job's Service under whatever name that has",
      { ...PER_JOB, network: { mode: 'PerJob', jobService: 'mnist-11111111' } },
      'mnist-worker-1.mnist-11111111.team.svc',
    ],
    ["is the name of the replica's own Service", PER_REPLICA, 'mnist-worker-1.team.svc'],
    [
      "ends with the cluster's domain where that is not the usual one",
      { ...PER_JOB, clusterDomain: 'corp.example' },
      'mnist-worker-1.mnist.team.svc.corp.example',
    ],
    [
      "of the replica's own Service does as well",
      { ...PER_REPLICA, clusterDomain: 'corp.example' },
      'mnist-worker-1.team.svc.corp.example',
    ],
  ])('%s', (_what, where, address) => {
    const seen: string[] = [];
    podWith(
      [LOGS],
      (peers, replica) => {
        seen.push(peers.addressOf(replica));
        return {};
      },
      where,
    );
    expect(seen).toEqual([address]);
  });
});
