/**
 * The same Jobs beside the real Volcano: what it and Muster make of them, and what becomes of them. MXNet is left out, which Volcano
 * does not have. Its programs are built when they are not there, which takes minutes.
 */
import {
  NETWORK_POLICIES,
  PODS,
  SECRETS,
  SERVICES,
  VOLCANO_POD_GROUPS,
  type KubeObject,
  type Resource,
  type VolcanoJob,
} from '@muster/job-api';
import { CONFIG_MAPS } from '@muster/volcano-job';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { differences } from '../test-support/differences.ts';
import { musterSide, volcanoSide, type VolcanoSide } from '../test-support/volcano-sides.ts';

const LIMIT_MS = 600_000;
const BUILD_LIMIT_MS = 3_600_000;

type Spec = VolcanoJob['spec'];

let sides: readonly VolcanoSide[] = [];
let made: string[] = [];

beforeAll(async () => {
  sides = [await volcanoSide()];
  sides = [...sides, await musterSide()];
}, BUILD_LIMIT_MS);

afterAll(() => Promise.all(sides.map((side) => side.stop())), LIMIT_MS);

afterEach(async () => {
  for (const name of made.splice(0)) await Promise.all(sides.map((side) => side.remove(name)));
}, LIMIT_MS);

/** The same on both; what came of it must be the same as well. */
async function onBoth<V>(what: (side: VolcanoSide) => Promise<V>): Promise<V> {
  const [volcano, muster] = await Promise.all(sides.map(what));
  expect(muster, 'what Muster makes of it is what Volcano does').toEqual(volcano);
  return volcano as V;
}

async function submit(side: VolcanoSide, name: string, spec: Spec): Promise<void> {
  if (!made.includes(name)) made.push(name);
  await side.create(name, spec);
}

function task(name: string, replicas: number, container: object = {}, more: Partial<Spec['tasks'][number]> = {}) {
  const containers = [{ name: 'main', image: 'registry.example/train:1', ...container }];
  return { name, replicas, template: { spec: { restartPolicy: 'Never' as const, containers } }, ...more };
}

const JOBS: Readonly<Record<string, Spec>> = {
  tensorflow: {
    minAvailable: 4,
    plugins: { tensorflow: ['--ps=servers', '--worker=trainers', '--chief=lead', '--port=5000'], svc: [], env: [] },
    tasks: [task('servers', 1), task('trainers', 2, { env: [{ name: 'MINE', value: '1' }] }), task('lead', 1)],
  },
  pytorch: {
    minAvailable: 3,
    plugins: { pytorch: ['--master=master', '--worker=worker', '--port=23456'], svc: [] },
    tasks: [task('master', 1), task('worker', 2, { ports: [{ name: 'mine', containerPort: 23456 }] })],
  },
  mpi: {
    minAvailable: 3,
    plugins: { mpi: ['--master=boss', '--worker=hand', '--port=22'], ssh: [], svc: [] },
    tasks: [
      task('boss', 1, { command: ['mpirun', 'hello'] }),
      task('hand', 2, { command: ['sh', '-c', 'sshd -D'], resources: { limits: { cpu: '1' } } }),
    ],
  },
  ray: {
    minAvailable: 3,
    plugins: { ray: ['--head=head', '--worker=node', '--headContainer=main', '--workerContainer=main'], svc: [] },
    tasks: [task('head', 1), task('node', 2)],
  },
  basics: {
    minAvailable: 2,
    queue: 'default',
    plugins: {
      pytorch: [],
      svc: ['--disable-network-policy=true', '--publish-not-ready-addresses=true'],
      ssh: ['--no-root', '--ssh-key-file-path=/home/me/.ssh'],
      env: [],
    },
    volumes: [{ mountPath: '/data', volumeClaimName: 'datasets' }],
    tasks: [task('master', 1), task('worker', 1, { env: [{ name: 'RANK', value: 'mine' }] })],
  },
};

const KINDS: readonly Resource<KubeObject>[] = [
  PODS,
  SERVICES,
  CONFIG_MAPS,
  SECRETS,
  NETWORK_POLICIES,
  VOLCANO_POD_GROUPS,
];

/** Where Muster differs on purpose: which fields, of which kinds, and why. */
const KNOWN: readonly (readonly [field: RegExp, why: string])[] = [];

/** What the API server, the nodes or chance have put there. */
function compared(object: KubeObject & { spec?: object; data?: Record<string, string> }): object {
  const { labels, annotations, ownerReferences } = object.metadata ?? {};
  const { nodeName: _node, clusterIPs: _ips, ...spec } = (object.spec ?? {}) as Record<string, unknown>;
  const text = JSON.stringify({
    metadata: {
      labels,
      annotations,
      ownerReferences: ownerReferences?.map(({ uid: _uid, ...reference }) => reference),
    },
    ...(object.spec && { spec }),
    ...(object.data && { data: object.data }),
  });
  return JSON.parse(text) as object;
}

async function objectsOf(side: VolcanoSide, resource: Resource<KubeObject>, job: string) {
  const { items } = await side.client.list(resource, { namespace: 'default' });
  const own = items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.name === job));
  const { metadata } = await side.job(job);
  return new Map(
    own.map((object) => [(object.metadata?.name ?? '').replace(metadata?.uid ?? '', '<uid>'), compared(object)]),
  );
}

describe('what is made of a Job', { timeout: LIMIT_MS }, () => {
  it.each(Object.entries(JOBS))('of %s', async (name, spec) => {
    const count = spec.tasks.reduce((sum, { replicas = 0 }) => sum + replicas, 0);
    await onBoth(async (side) => {
      await submit(side, name, spec);
      await side.until(async () => (await side.pods(name)).length === count, name);
      return side.podNames(name);
    });
    const found: string[] = [];
    for (const resource of KINDS) {
      const [volcano, muster] = await Promise.all(sides.map((side) => objectsOf(side, resource, name)));
      for (const key of new Set([...(volcano?.keys() ?? []), ...(muster?.keys() ?? [])])) {
        const paths = differences(volcano?.get(key), muster?.get(key));
        found.push(...paths.map((path) => `${resource.kind} ${key} ${path}`));
      }
    }
    console.log(found.join('\n'));
    const unknown = found.filter((difference) => !KNOWN.some(([field]) => field.test(difference)));
    expect(unknown).toEqual([]);
  });
});
