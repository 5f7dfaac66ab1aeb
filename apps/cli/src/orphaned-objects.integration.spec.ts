/**
 * Objects of jobs deleted with `kubectl delete --cascade=orphan`: the next job of the name adopts objects of every kind that an operator
 * creates, and deletes those that it does not need, with the permissions of the operator's chart.
 */
import { mpiAdapter } from '@muster/adapter-mpi';
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { rayAdapters } from '@muster/adapter-ray';
import { createJobOperator, type JobOperatorOptions } from '@muster/common-job-controller';
import {
  BATCH_JOBS,
  crdFor,
  FRAMEWORKS,
  HORIZONTAL_POD_AUTOSCALERS,
  INGRESSES,
  MPI_JOBS,
  NETWORK_POLICIES,
  PERSISTENT_VOLUME_CLAIMS,
  podTemplatesOf,
  PODS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  type FrameworkName,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { createKubeClient, isKubeError, loadCluster, type ClusterClient } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const WITHIN_MS = 90_000;
const EXAMPLES = join(import.meta.dirname, '../../../examples');
const cluster = await testCluster();
const { client } = cluster;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const namespaced = (group: string, kind: string, plural: string): Resource => {
  return { group, version: 'v1', kind, plural, namespaced: true };
};
const CONFIG_MAPS = namespaced('', 'ConfigMap', 'configmaps');
const STATEFUL_SETS = namespaced('apps', 'StatefulSet', 'statefulsets');

interface Orphans {
  readonly framework: FrameworkName;
  readonly resource: Resource;
  /** Below `examples`. */
  readonly manifest: string;
  /** Kinds other than pods and Services. */
  readonly owned: readonly Resource[];
  /** A change of the job that deletes them. Default: they stay as long as the job. */
  readonly without?: object;
}

const mpi = { framework: 'mpi', resource: MPI_JOBS } as const;
const ray = { framework: 'ray', resource: RAY_CLUSTERS } as const;
const RIGHTS = [SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS];

const CASES: readonly Orphans[] = [
  {
    framework: 'pytorch-elastic',
    resource: PYTORCH_JOBS,
    manifest: 'pytorch-elastic/upstream-forms/elastic-imagenet.yaml',
    owned: [HORIZONTAL_POD_AUTOSCALERS],
    without: { spec: { runPolicy: { suspend: true } } },
  },
  { ...mpi, resource: { ...MPI_JOBS, version: 'v1' }, manifest: 'mpi/pi-v1.yaml', owned: [CONFIG_MAPS, ...RIGHTS] },
  { ...mpi, manifest: 'mpi/pi-v2beta1.yaml', owned: [CONFIG_MAPS, SECRETS, BATCH_JOBS] },
  {
    ...mpi,
    resource: { ...MPI_JOBS, version: 'v1alpha1' },
    manifest: 'mpi/train-v1alpha1.yaml',
    owned: [STATEFUL_SETS],
  },
  { ...ray, manifest: 'ray/upstream-forms/auth.yaml', owned: [SECRETS] },
  {
    ...ray,
    manifest: 'ray/upstream-forms/autoscaler-v2.yaml',
    owned: RIGHTS,
    without: { spec: { enableInTreeAutoscaling: false, autoscalerOptions: null, workerGroupSpecs: null } },
  },
  { ...ray, manifest: 'ray/upstream-forms/embedded-rocksdb.yaml', owned: [PERSISTENT_VOLUME_CLAIMS] },
  {
    ...ray,
    manifest: 'ray/upstream-forms/head-service.yaml',
    owned: [INGRESSES],
    without: { spec: { headGroupSpec: { enableIngress: false } } },
  },
  {
    ...ray,
    manifest: 'ray/upstream-forms/network-isolation.yaml',
    owned: [NETWORK_POLICIES],
    without: { spec: { networkPolicy: null } },
  },
];

beforeAll(async () => {
  for (const framework of ['pytorch-elastic', 'mpi', 'ray'] as const)
    for (const definition of FRAMEWORKS[framework]) await installCrd(client, crdFor(definition));
});

it.each(CASES)('$manifest', async ({ framework, resource, manifest, owned, without }) => {
  const namespace = await cluster.namespace();
  const stop = await startOperator(framework, namespace);
  const job = await manifestIn(namespace, manifest);
  const first = await client.create(resource, job);
  const left = await ownedToBe(namespace, owned, first);
  await stop();

  // As the garbage collector does with --cascade=orphan, even if it has not seen them yet.
  const all = [...left, ...(await ownedBy(first, [PODS, SERVICES], namespace))];
  for (const [of, { metadata }] of all) {
    await client.patch(of, { namespace, name: metadata?.name ?? '' }, { metadata: { ownerReferences: null } });
  }
  const key = { namespace, name: job.metadata?.name ?? '' };
  await client.delete(resource, key);
  await eventually(() => client.get(resource, key).then(() => false, isGone), {
    withinMs: WITHIN_MS,
    describe: () => client.get(resource, key).catch(String),
  });
  const next = await client.create(resource, job);
  onTestFinished(await startOperator(framework, namespace));
  await ownedToBe(namespace, owned, next, (found) =>
    left.every((before) => found.some((each) => isSame(each, before))),
  );

  if (without === undefined) return;
  await client.patch(resource, key, without);
  let staying: Owned[] = [];
  await eventually(
    async () => {
      staying = await ownedBy(next, owned, namespace);
      return staying.length === 0;
    },
    { withinMs: WITHIN_MS, describe: () => namesOf(staying) },
  );
});

type Owned = readonly [Resource, KubeObject];

function namesOf(objects: readonly Owned[]): string[] {
  return objects.map(([{ kind }, { metadata }]) => `${kind} ${metadata?.name}`);
}

function isSame([, one]: Owned, [, other]: Owned): boolean {
  return one.metadata?.uid === other.metadata?.uid;
}

/** The job's objects, when there is one of each resource and `holds` returns true. */
async function ownedToBe(
  namespace: string,
  resources: readonly Resource[],
  job: KubeObject,
  holds: (found: readonly Owned[]) => boolean = () => true,
): Promise<Owned[]> {
  let found: Owned[] = [];
  return eventually(
    async () => {
      found = await ownedBy(job, resources, namespace);
      return resources.every((resource) => found.some(([of]) => of === resource)) && holds(found) && found;
    },
    {
      withinMs: WITHIN_MS,
      describe: () => namesOf(found),
    },
  );
}

async function ownedBy(job: KubeObject, resources: readonly Resource[], namespace: string): Promise<Owned[]> {
  const each = resources.map(async (resource) => {
    const { items } = await client.list(resource, { namespace });
    return items
      .filter(({ metadata }) => metadata?.ownerReferences?.some(({ uid }) => uid === job.metadata?.uid))
      .map((object): Owned => [resource, object]);
  });
  return (await Promise.all(each)).flat();
}

function isGone(error: unknown): boolean {
  if (!isKubeError(error, 'NotFound')) throw error;
  return true;
}

function adaptersOf(framework: FrameworkName): JobOperatorOptions['adapters'] {
  if (framework === 'mpi') return [mpiAdapter()];
  return framework === 'ray' ? rayAdapters() : [pytorchAdapter()];
}

/** The manifest with pods that no scheduler handles. */
async function manifestIn(namespace: string, path: string): Promise<KubeObject> {
  const manifest = parse(await readFile(join(EXAMPLES, path), 'utf8')) as KubeObject;
  for (const { spec } of podTemplatesOf(manifest)) if (spec !== undefined) spec.schedulerName = 'none';
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}

/** Starts an operator with the ServiceAccount of its chart. Returns a function that stops it. */
async function startOperator(framework: FrameworkName, namespace: string) {
  const access = await loadCluster({ kubeconfig: cluster.operatorKubeconfig(framework) });
  const as: ClusterClient = createKubeClient(access, { userAgent: 'muster-test/0' });
  const registry = new Registry();
  const start = {
    client: as,
    namespaces: [namespace],
    serviceMode: 'PerJob',
    clock: new TravelClock(),
    logger: silent,
  } as const;
  const operator = await started(
    createJobOperator({ ...loneOperatorOptions(start), adapters: adaptersOf(framework), registry }),
    registry,
  );
  return async () => {
    await operator.stop();
    await as.close();
  };
}
