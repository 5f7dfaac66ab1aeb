/** Recorded runs in pods, read by exec through a real API server and kubelet. The pods have the form of an operator's, and hold files. */
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { newWorld, planJob, type JobManifest } from '@muster/common-job-controller';
import { admitted, PODS, pytorchJobDefinition, type KubeObject, type Pod, type Resource } from '@muster/job-api';
import { recordOf, taggedJson } from '@muster/recording';
import { eventually, testCluster } from '@muster/testing';
import { beforeAll, expect, it } from 'vitest';
import { muster } from '../../test-support/command-line.ts';

const cluster = await testCluster();
const CONFIG_MAPS: Resource<KubeObject & { data: Record<string, string> }> = {
  ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
};
const IMAGE = 'muster.local/torch-examples:2.6';
const LIMIT_MS = 300_000;

let namespace = '';

function runLine(name: string, seconds: number): string {
  const adapter = pytorchAdapter();
  const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
  const template = { spec: { containers: [{ name: 'pytorch', image: 'registry.example/a:1' }] } };
  const manifest: JobManifest = admitted(pytorchJobDefinition, {
    ...{ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob' },
    metadata: { name, namespace: 'team', uid: `uid-${name}`, generation: 1 },
    spec: { pytorchReplicaSpecs: { Worker: { replicas: 1, template } } },
  });
  const world = newWorld(manifest, Date.parse('2030-01-01T00:00:00Z') + seconds * 1000);
  return `${taggedJson(recordOf({ adapter, settings, world, plan: planJob(adapter, world, settings) }))}\n`;
}

async function podWith(name: string, files: Record<string, string>): Promise<void> {
  await cluster.client.create(CONFIG_MAPS, { metadata: { name, namespace }, data: files });
  const container = {
    name: 'operator',
    image: IMAGE,
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', 'trap "exit 0" TERM; sleep 3600 & wait', '--'],
    args: ['--record=/runs'],
    volumeMounts: [{ name: 'runs', mountPath: '/runs' }],
    readinessProbe: { exec: { command: ['true'] } },
  };
  await cluster.client.create<Pod>(PODS, {
    metadata: { name, namespace, labels: { 'app.kubernetes.io/part-of': 'muster' } },
    spec: {
      containers: [container],
      volumes: [{ name: 'runs', configMap: { name } }],
      terminationGracePeriodSeconds: 0,
    },
  });
}

const phases = async () =>
  (await cluster.client.list(PODS, { namespace })).items.map(({ metadata, status }) => [metadata?.name, status]);

beforeAll(async () => {
  namespace = await cluster.namespace();
  await podWith('leader', {
    'runs-pytorch-2030-01-01T000002Z-leader-1-0001.jsonl':
      runLine('mnist', 2) + runLine('other', 3) + runLine('mnist', 4),
  });
  await podWith('led-before', {
    'runs-pytorch-2030-01-01T000000Z-before-1-0001.jsonl': runLine('mnist', 0) + runLine('mnist-2', 1),
  });
  await podWith('standby', { 'notes.txt': 'no recording' });
  await eventually(async () => (await phases()).every(([, status]) => (status as Pod['status'])?.phase === 'Running'), {
    withinMs: LIMIT_MS,
    describe: phases,
  });
}, LIMIT_MS);

const run = (...args: string[]) => muster([...args, '--kubeconfig', cluster.kubeconfig]).ended;

it(
  'lists the decisions about a job from the files of all replicas, in the order of time',
  { timeout: LIMIT_MS },
  async () => {
    const { code, out, err } = await run('history', 'mnist', '-n', 'team', '--operator-namespace', namespace);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^PyTorchJob team\/mnist \(UID uid-mnist\), 3 recorded runs\n\n2030-01-01T00:00:00Z {2}the job was created\n/,
    );
    expect([...out.matchAll(/^2030\S+:(\d\d)Z/gm)].map(([, second]) => second)).toEqual(['00', '02', '04']);
  },
);

it('reports a job that no operator has recorded', { timeout: LIMIT_MS }, async () => {
  const { code, err } = await run('history', 'absent', '-n', 'team', '--operator-namespace', namespace);
  expect({ code, err }).toEqual({
    code: 5,
    err: 'error: The recording has no run of a job absent in namespace team; 0 lines were read.\n',
  });
});

it('reports a user without permission to exec', { timeout: LIMIT_MS }, async () => {
  const where = ['-n', 'team', '--operator-namespace', namespace];
  const { code, err } = await run('history', 'mnist', ...where, '--as', 'ann', '--as-group', 'system:authenticated');
  expect(code).toBe(7);
  expect(err).toMatch(/^error: .*pods is forbidden: User "ann" cannot list resource "pods"/);
});
