/**
 * The three versions of MPIJob: jobs of each generation, written, read and changed through each of the
 * versions, and the change from a CRD that served only one of them.
 */
import { randomUUID } from 'node:crypto';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { withoutRules } from '../test-support/describe-admission.ts';
import { crdFor } from './crd.ts';
import { apiVersionOf, type KubeObject, type Resource } from './kubernetes.ts';
import { MPI_GENERATIONS, type MPIGeneration } from './mpi-generation.ts';
import { MPI_JOBS, mpiJobDefinition } from './mpi-job.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from './resources.ts';

const cluster = await testCluster();
const { client } = cluster;
let namespace = '';

/** The fields of a job of any generation that are read here. */
interface AnyJob extends KubeObject {
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

beforeAll(async () => {
  await installCrd(client, crdFor(mpiJobDefinition));
  namespace = await cluster.namespace();
});

const template = { spec: { containers: [{ name: 'main', image: 'example.com/train:1' }] } };
const pods = (replicas: number) => ({ replicas, template });

/** For each generation a spec that has fields of its own, and how its workers become three. */
const JOBS: Readonly<Record<MPIGeneration, { readonly spec: object; readonly scaled: object }>> = {
  v2beta1: {
    spec: {
      slotsPerWorker: 2,
      sshAuthMountPath: '/home/mpiuser/.ssh',
      mpiImplementation: 'MPICH',
      runLauncherAsWorker: true,
      launcherCreationPolicy: 'WaitForWorkersReady',
      mpiReplicaSpecs: { Launcher: pods(1), Worker: pods(2) },
    },
    scaled: { mpiReplicaSpecs: { Worker: { replicas: 3 } } },
  },
  v1: {
    spec: {
      cleanPodPolicy: 'All',
      mainContainer: 'main',
      mpiReplicaSpecs: { Launcher: { ...pods(1), restartPolicy: 'Always' }, Worker: pods(2) },
    },
    scaled: { mpiReplicaSpecs: { Worker: { replicas: 3 } } },
  },
  v1alpha1: {
    spec: { replicas: 2, template, launcherOnMaster: true, backoffLimit: 3, processingResourceType: 'cpu' },
    scaled: { replicas: 3 },
  },
};

/** Each generation with each version. */
const PAIRS = MPI_GENERATIONS.flatMap((generation) => MPI_GENERATIONS.map((version) => [generation, version] as const));

/** The CRD in its own group, deleted after the test. */
function crdElsewhere() {
  const group = `g${randomUUID().slice(0, 8)}.muster.test`;
  const crd = crdFor({ ...mpiJobDefinition, resource: { ...MPI_JOBS, group } });
  const name = crd.metadata?.name ?? '';
  onTestFinished(() => client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name }));
  return { group, crd, name };
}

const through = (version: MPIGeneration, group = MPI_JOBS.group): Resource<AnyJob> => ({
  group,
  version,
  kind: 'MPIJob',
  plural: 'mpijobs',
  namespaced: true,
});

async function written(generation: MPIGeneration, group?: string): Promise<{ namespace: string; name: string }> {
  const resource = through(generation, group);
  const name = `job-${randomUUID().slice(0, 8)}`;
  const spec = { ...JOBS[generation].spec };
  await client.create(resource, {
    apiVersion: apiVersionOf(resource),
    kind: 'MPIJob',
    metadata: { name, namespace },
    spec,
  });
  return { namespace, name };
}

/** Makes every kind of change through `version`, and expects the generation to stay. */
async function expectChangeable(
  generation: MPIGeneration,
  version: MPIGeneration,
  key: { namespace: string; name: string },
  group?: string,
): Promise<void> {
  const resource = through(version, group);
  const head = { apiVersion: apiVersionOf(resource), kind: 'MPIJob' };
  const { scaled } = JOBS[generation];
  const merged = async (patch: object) => client.patch(resource, key, patch);
  const applied = (fieldManager: string, fields: { metadata?: object; spec?: object }) =>
    client.apply(resource, { ...head, ...fields, metadata: { ...key, ...fields.metadata } } as unknown as AnyJob, {
      force: true,
      fieldManager,
    });

  await merged({ metadata: { labels: { merged: 'yes' } } });
  await merged({ metadata: { finalizers: ['muster.test/held'] } });
  await merged({ metadata: { finalizers: null } });
  await merged({ spec: { runPolicy: { suspend: true } } });
  await merged({ spec: scaled });
  await client.patchStatus(resource, key, {
    status: { state: 'Suspended', launcherStatus: 'Active', workerReplicas: 2 },
  });
  await applied('labels', { metadata: { labels: { applied: 'yes' } } });
  await applied('suspends', { spec: { runPolicy: { suspend: false } } });
  await applied('scales', { spec: scaled });
  const read = await client.get(resource, key);
  await client.replace(resource, { ...read, metadata: { ...read.metadata, labels: { replaced: 'yes' } } });

  const after = await client.get(resource, key);
  expect(after.metadata?.labels).toEqual({ replaced: 'yes' });
  expect(after.metadata?.finalizers).toBeUndefined();
  expect(after.status).toEqual({ state: 'Suspended', launcherStatus: 'Active', workerReplicas: 2 });
  expect(after.spec).toMatchObject({ ...scaled, apiGeneration: generation, runPolicy: { suspend: false } });
  await client.delete(resource, key);
}

describe('the versions of MPIJob', () => {
  it('are three, of which kubectl uses v1 by default', async () => {
    interface Group {
      preferredVersion: { version: string };
      versions: { version: string }[];
    }
    const { group, crd } = crdElsewhere();
    await installCrd(client, crd);
    const found = await client.raw<Group>(`/apis/${group}`);
    expect(found.versions.map(({ version }) => version)).toEqual(['v1', 'v2beta1', 'v1alpha1']);
    expect(found.preferredVersion.version).toBe('v1');
  });

  it.each(PAIRS)('show all fields of a job of %s in %s', async (generation, version) => {
    const key = await written(generation);
    const own = await client.get(through(generation), key);
    expect(own.spec).toEqual({ ...JOBS[generation].spec, apiGeneration: generation, runPolicy: { suspend: false } });
    const other = await client.get(through(version), key);
    expect(other).toEqual({ ...own, apiVersion: apiVersionOf(through(version)) });
  });

  it.each(PAIRS)('allow every kind of change of a job of %s through %s', async (generation, version) => {
    await expectChangeable(generation, version, await written(generation));
  });

  it.each(PAIRS)(
    'apply the rules of the generation to a change of a job of %s through %s',
    async (generation, version) => {
      const key = await written(generation);
      const changed = (spec: object) => client.patch(through(version), key, { spec });
      const required = generation === 'v1alpha1' ? 'template' : 'mpiReplicaSpecs';
      await expect(changed({ [required]: null })).rejects.toThrow(`spec.${required}: Required value`);
      const withoutWorkers = changed({ mpiReplicaSpecs: { Worker: null } });
      await (generation === 'v1'
        ? expect(withoutWorkers).rejects.toThrow('name the role Worker')
        : expect(withoutWorkers).resolves.toBeDefined());
    },
  );

  it.each(PAIRS)('reject a change of the generation of a job of %s through %s', async (generation, version) => {
    const key = await written(generation);
    const [other] = MPI_GENERATIONS.filter((each) => each !== generation);
    await expect(client.patch(through(version), key, { spec: { apiGeneration: other } })).rejects.toThrow(
      /spec\.apiGeneration: Invalid value: .*field is immutable: to change the version of the API, delete the job/,
    );
    // A client without this field omits it, which means the default of the version that it writes.
    const { spec, ...read } = await client.get(through(version), key);
    const { apiGeneration, ...known } = spec;
    expect(apiGeneration).toBe(generation);
    const replaced = client.replace(through(version), { ...read, spec: known });
    await (version === generation
      ? expect(replaced).resolves.toMatchObject({ spec: { apiGeneration: generation } })
      : expect(replaced).rejects.toThrow('field is immutable'));
  });

  it('reject so many workers that their names become too long, and no fewer', async () => {
    const metadata = { name: 'm'.repeat(63 - '-worker-0'.length), namespace };
    const { spec } = JOBS.v2beta1;
    const resource = through('v2beta1');
    await client.create(resource, { apiVersion: apiVersionOf(resource), kind: 'MPIJob', metadata, spec: { ...spec } });
    const scaledTo = (replicas: number) =>
      client.patch(through('v1'), metadata, { spec: { mpiReplicaSpecs: { Worker: { replicas } } } });
    await expect(scaledTo(10)).resolves.toBeDefined();
    await expect(scaledTo(11)).rejects.toThrow('metadata.name is too long');
  });
});

describe('a CRD of MPIJob that served one version only', () => {
  it.each(MPI_GENERATIONS)(
    '%s, can be replaced by that of all three, and its jobs keep their generation',
    async (generation) => {
      const { group, crd, name } = crdElsewhere();
      await installCrd(client, withoutRules(crd, generation));
      const jobs = await Promise.all(
        MPI_GENERATIONS.map(async (version) => ({ version, key: await written(generation, group) })),
      );
      await installCrd(client, crd);
      // The new schema applies a moment after the new versions are served.
      await eventually(
        async () => {
          const found = await Promise.all(jobs.map(({ version, key }) => client.get(through(version, group), key)));
          return found.every(({ spec }) => spec.apiGeneration === generation);
        },
        { withinMs: 30_000, describe: `stored jobs have the generation ${generation} in every version` },
      );
      for (const { version, key } of jobs) await expectChangeable(generation, version, key, group);
      // Both stay listed: a CRD that lacks the first cannot replace this one until the list is reduced.
      const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name });
      expect(status?.storedVersions).toEqual([...new Set([generation, 'v2beta1'])]);
      const without = withoutRules(crd, 'v2beta1');
      const goingBack = client.apply(CUSTOM_RESOURCE_DEFINITIONS, without, { force: true, dryRun: true });
      await (generation === 'v2beta1'
        ? expect(goingBack).resolves.toBeDefined()
        : expect(goingBack).rejects.toThrow('status.storedVersions'));
    },
  );
});

describe('the scale of an MPIJob', () => {
  const scaledTo = (version: MPIGeneration, name: string, replicas: number) =>
    client.patch(through(version), { namespace, name }, { spec: { replicas } }, { subresource: 'scale' });
  const created = (generation: MPIGeneration, name: string) => {
    const { spec } = JOBS[generation];
    return client.create(through(generation), { metadata: { name, namespace }, spec: { ...spec } });
  };

  it.each<[MPIGeneration, MPIGeneration]>([
    ['v2beta1', 'v2beta1'],
    ['v2beta1', 'v1'],
    ['v1', 'v1'],
  ])('of %s is the number of its workers, also through %s', async (generation, version) => {
    const name = `scaled-${generation}-${version}`;
    await created(generation, name);
    await scaledTo(version, name, 3);
    const { spec } = await client.get(through(generation), { namespace, name });
    expect(spec).toMatchObject({ apiGeneration: generation, mpiReplicaSpecs: { Worker: { replicas: 3 } } });
  });

  it('does not exist for v1alpha1 jobs in any version', async () => {
    await created('v1alpha1', 'unscaled');
    const before = await client.get(through('v1alpha1'), { namespace, name: 'unscaled' });
    await expect(scaledTo('v1alpha1', 'unscaled', 3)).rejects.toMatchObject({ code: 404 });
    await expect(scaledTo('v1', 'unscaled', 3)).rejects.toThrow('spec.mpiReplicaSpecs.Worker.template: Required value');
    expect(await client.get(through('v1alpha1'), { namespace, name: 'unscaled' })).toEqual(before);
  });
});

describe('the CRD of MPIJob', () => {
  it('is small enough for the API server with the annotation of client-side apply', async () => {
    const group = `g${randomUUID().slice(0, 8)}.muster.test`;
    const fresh = crdFor({ ...mpiJobDefinition, resource: { ...MPI_JOBS, group } });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(fresh) };
    const applied = { ...fresh, metadata: { ...fresh.metadata, annotations } };
    await expect(client.create(CUSTOM_RESOURCE_DEFINITIONS, applied, { dryRun: true })).resolves.toBeDefined();
  });
});
