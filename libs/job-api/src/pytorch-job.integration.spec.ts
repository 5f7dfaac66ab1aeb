import { randomUUID } from 'node:crypto';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import fullTemplate from '../test/full-pod-template.json' with { type: 'json' };
import { ACCEPTED, job, LONGEST_NAME, REFUSED, role, type Manifest } from '../test/pytorch-job-cases.ts';
import { crdFor } from './crd.ts';
import type { KubeObject, Resource } from './kubernetes.ts';
import { PYTORCH_JOBS, pytorchJobDefinition, type PyTorchJob } from './pytorch-job.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from './resources.ts';

const cluster = await testCluster();
const { client } = cluster;
// Manifests as users write them; the server says whether they are jobs.
const MANIFESTS: Resource = PYTORCH_JOBS;
let namespace = '';

beforeAll(async () => {
  await installCrd(client, crdFor(pytorchJobDefinition));
  namespace = await cluster.namespace();
});

const inNamespace = (manifest: Manifest): KubeObject => ({
  ...manifest,
  metadata: { ...(manifest.metadata as object), namespace },
});

const created = (name: string, spec: object) => client.create(PYTORCH_JOBS, inNamespace(job(spec, name)) as PyTorchJob);

const changed = (name: string, spec: object) => client.patch(PYTORCH_JOBS, { namespace, name }, { spec });

const workers = (fields: object = {}) => ({ pytorchReplicaSpecs: { Worker: role(fields) } });

/** The API server writes `spec.map[key]` for CEL rules, `spec.map.key` for the schema, and no path into metadata. */
function spellings(path: string): string[] {
  return path.startsWith('metadata') ? ['<nil>'] : [path, path.replaceAll(/\[([A-Za-z]+)\]/g, '.$1')];
}

/** API servers before 1.33 name the type of a value that breaks a rule, not the value. */
function wordings(says: string): string[] {
  return [says, says.replace(/Invalid value: ".*?":/, 'Invalid value: "string":')];
}

describe('admission of a PyTorchJob', () => {
  it.each(REFUSED.map((refused) => [refused.what, refused] as const))(
    'refuses %s, with path and remedy',
    async (_what, { manifest, path, says }) => {
      const error = await client
        .create(MANIFESTS, inNamespace(manifest), { dryRun: true })
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'KubeError', code: 422, reason: 'Invalid' });
      const { message } = error as Error;
      expect(wordings(says).filter((wording) => message.includes(wording))).not.toEqual([]);
      expect(spellings(path).filter((spelling) => message.includes(spelling))).not.toEqual([]);
    },
  );

  it.each(ACCEPTED.map((accepted) => [accepted.what, accepted] as const))('accepts %s', async (_what, { manifest }) => {
    await expect(client.create(MANIFESTS, inNamespace(manifest), { dryRun: true })).resolves.toBeDefined();
  });

  it('judges a generated name by what was generated', async () => {
    const generated = (prefix: string) =>
      client.create(
        MANIFESTS,
        { ...job(workers()), metadata: { generateName: prefix, namespace } },
        {
          dryRun: true,
        },
      );
    await expect(generated('mnist-')).resolves.toBeDefined();
    await expect(generated(`${LONGEST_NAME}-`)).rejects.toThrow('shorten metadata.name to 54 characters');
  });

  it('fills in the run policy and leaves everything else as written', async () => {
    const { spec } = await created('defaults', workers());
    expect(spec).toEqual({ ...workers(), runPolicy: { suspend: false } });
  });

  it('keeps every field of a pod template, known or not', async () => {
    const spec = { pytorchReplicaSpecs: { Worker: { replicas: 1, template: fullTemplate } } };
    await created('round-trip', spec);
    const stored = await client.get(PYTORCH_JOBS, { namespace, name: 'round-trip' });
    expect(stored.spec.pytorchReplicaSpecs.Worker?.template).toEqual(fullTemplate);
  });
});

describe('changes to a PyTorchJob', () => {
  it.each([
    ['set later', undefined, 'kueue.x-k8s.io/multikueue'],
    ['changed', 'kubeflow.org/training-operator', 'kueue.x-k8s.io/multikueue'],
    ['removed', 'kueue.x-k8s.io/multikueue', null],
  ])('refuses a managedBy that is %s', async (what, before, after) => {
    const name = `managed-${what.replaceAll(' ', '-')}`;
    await created(name, { ...workers(), runPolicy: { ...(before && { managedBy: before }) } });
    await expect(changed(name, { runPolicy: { managedBy: after } })).rejects.toThrow(
      /spec\.runPolicy\.managedBy: Invalid value: ("object": )?field is immutable/,
    );
  });

  it('lets a queue be added, and then refuses to change it', async () => {
    await created('queued', workers());
    await changed('queued', { runPolicy: { schedulingPolicy: { queue: 'default' } } });
    await expect(changed('queued', { runPolicy: { schedulingPolicy: { queue: 'other' } } })).rejects.toThrow(
      'spec.runPolicy.schedulingPolicy.queue is immutable',
    );
  });

  it('holds the bounds of an elastic job to their rules later, too', async () => {
    await created('elastic-bounds', { ...workers({ replicas: 2 }), elasticPolicy: { minReplicas: 1, maxReplicas: 3 } });
    await expect(changed('elastic-bounds', { elasticPolicy: { minReplicas: 4 } })).rejects.toThrow(
      'must not be greater than maxReplicas',
    );
    await expect(changed('elastic-bounds', { pytorchReplicaSpecs: { Master: role(), Worker: null } })).rejects.toThrow(
      'an elastic job needs the role Worker',
    );
    await expect(
      changed('elastic-bounds', { elasticPolicy: { minReplicas: 2, maxReplicas: 2 } }),
    ).resolves.toBeDefined();
  });

  it('lets a job be suspended and resumed', async () => {
    await created('suspended', workers());
    await expect(changed('suspended', { runPolicy: { suspend: true } })).resolves.toBeDefined();
    await expect(changed('suspended', { runPolicy: { suspend: false } })).resolves.toBeDefined();
  });
});

describe('the status of a PyTorchJob', () => {
  it('is written through its own subresource only', async () => {
    await created('status', workers({ replicas: 2 }));
    await client.patch(PYTORCH_JOBS, { namespace, name: 'status' }, { status: { state: 'Succeeded' } });
    const status = {
      conditions: [
        { type: 'Running', status: 'True', reason: 'PyTorchJobRunning', lastUpdateTime: '2026-01-02T03:04:05Z' },
      ],
      replicaStatuses: { Worker: { active: 2, selector: 'a=b' } },
      state: 'Running',
      ready: '2/2',
      restartCount: 1,
      observedGeneration: 1,
    };
    const before = await client.get(PYTORCH_JOBS, { namespace, name: 'status' });
    expect(before.status).toBeUndefined();
    const after = await client.patchStatus(PYTORCH_JOBS, { namespace, name: 'status' }, { status });
    expect(after.status).toEqual(status);
    expect(after.metadata?.generation).toBe(before.metadata?.generation);
  });

  it('feeds the columns that kubectl shows', async () => {
    await created('columns', workers());
    const status = { state: 'Running', ready: '1/1', restartCount: 3 };
    await client.patchStatus(PYTORCH_JOBS, { namespace, name: 'columns' }, { status });
    // kubectl asks with an Accept header; the definition is what the server evaluates, so read that back.
    const crd = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: 'pytorchjobs.kubeflow.org' });
    const columns = crd.spec.versions[0]?.additionalPrinterColumns?.map(({ name, jsonPath }) => `${name} ${jsonPath}`);
    expect(columns?.slice(0, 3)).toEqual([
      'State .status.state',
      'Ready .status.ready',
      'Restarts .status.restartCount',
    ]);
  });
});

describe('the scale of a PyTorchJob', () => {
  interface Scale extends KubeObject {
    spec: { replicas: number };
    status: { replicas: number; selector?: string };
  }
  const scaleOf = (name: string) =>
    client.raw<Scale>(`/apis/kubeflow.org/v1/namespaces/${namespace}/pytorchjobs/${name}/scale`);
  const scaledTo = (name: string, replicas: number) =>
    client.patch(PYTORCH_JOBS, { namespace, name }, { spec: { replicas } }, { subresource: 'scale' });

  it('reads and writes the workers, and tells autoscalers which pods they are', async () => {
    await created('scaled', workers({ replicas: 2 }));
    const status = { replicaStatuses: { Worker: { active: 2, selector: 'job=scaled' } } };
    await client.patchStatus(PYTORCH_JOBS, { namespace, name: 'scaled' }, { status });
    expect(await scaleOf('scaled')).toMatchObject({
      spec: { replicas: 2 },
      status: { replicas: 2, selector: 'job=scaled' },
    });
    await scaledTo('scaled', 3);
    const { spec } = await client.get(PYTORCH_JOBS, { namespace, name: 'scaled' });
    expect(spec.pytorchReplicaSpecs.Worker?.replicas).toBe(3);
  });

  it('refuses 0 and says how to stop a job instead', async () => {
    await created('not-to-zero', workers({ replicas: 2 }));
    await expect(scaledTo('not-to-zero', 0)).rejects.toThrow('set spec.runPolicy.suspend to true');
  });

  it('may leave the bounds of an elastic job, as with Kubeflow: a master counts towards them as well', async () => {
    await created('beyond', { ...workers({ replicas: 2 }), elasticPolicy: { minReplicas: 2, maxReplicas: 3 } });
    await expect(scaledTo('beyond', 4)).resolves.toBeDefined();
    await expect(scaledTo('beyond', 1)).resolves.toBeDefined();
  });

  it('refuses so many workers that their pod names become too long', async () => {
    await created(LONGEST_NAME, workers({ replicas: 2 }));
    await expect(scaledTo(LONGEST_NAME, 11)).rejects.toThrow('shorten metadata.name to 53 characters');
    await expect(scaledTo(LONGEST_NAME, 10)).resolves.toBeDefined();
  });
});

describe('the CRD of PyTorchJob', () => {
  const group = `g${randomUUID().slice(0, 8)}.muster.test`;
  const elsewhere = { ...pytorchJobDefinition, resource: { ...PYTORCH_JOBS, group } };
  const ELSEWHERE: Resource = elsewhere.resource;
  const crd = crdFor(elsewhere);

  it('puts no new rule between the operator and the status of a job that was stored before', async ({
    onTestFinished,
    skip,
  }) => {
    const { minor } = JSON.parse(await client.text('/version')) as { minor: string };
    skip(Number.parseInt(minor) < 33, 'API servers before 1.33 judge the spec anew with each write of the status');
    const permissive = structuredClone(crd);
    for (const version of permissive.spec.versions) {
      const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      version.schema = {
        openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } },
      };
      version.subresources = { status: {} };
    }
    await installCrd(client, permissive);
    onTestFinished(async () => {
      await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: crd.metadata?.name ?? '' });
    });
    // Types were checked at all times, so what has a wrong one cannot have been stored.
    const storable = REFUSED.filter(({ says }) => !says.startsWith('must be of type'));
    const old = storable.map(({ what, manifest }, index) => {
      const { name } = manifest.metadata as { name: string };
      const suffix = String(index);
      return { what, manifest, name: name.slice(0, -suffix.length) + suffix };
    });
    const asOf = ({ manifest, name }: (typeof old)[number]): KubeObject => ({
      ...manifest,
      apiVersion: `${group}/v1`,
      metadata: { name, namespace },
    });
    await Promise.all(old.map((refused) => client.create(ELSEWHERE, asOf(refused))));
    await installCrd(client, crd);
    const unruly = { ...inNamespace(job({ pytorchReplicaSpecs: {} }, 'unruly')), apiVersion: `${group}/v1` };
    await eventually(
      () =>
        client.create(ELSEWHERE, unruly, { dryRun: true }).then(
          () => false,
          () => true,
        ),
      {
        describe: 'the rules are in force',
      },
    );
    const refused: string[] = [];
    for (const { what, name } of old) {
      await client
        .patchStatus(ELSEWHERE, { namespace, name }, { status: { state: 'Failed' } })
        .catch((error: unknown) => refused.push(`${what}: ${String(error)}`));
    }
    expect(refused).toEqual([]);
  });

  it('is served, structural and free of warnings about its schema', async () => {
    const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: 'pytorchjobs.kubeflow.org' });
    const holding = status?.conditions?.filter((condition) => condition.status === 'True').map(({ type }) => type);
    expect(holding?.toSorted()).toEqual(['Established', 'NamesAccepted']);
  });

  it('explains its fields to kubectl', async () => {
    const explained = await eventually(
      async () => {
        const api = await client.raw<{ components: { schemas: Record<string, unknown> } }>(
          '/openapi/v3/apis/kubeflow.org/v1',
        );
        return JSON.stringify(api.components.schemas['org.kubeflow.v1.PyTorchJob'] ?? '');
      },
      { withinMs: 30_000, describe: 'PyTorchJob is in the published OpenAPI' },
    );
    expect(explained).toContain('The least number of workers the job can go on with.');
  });

  it('fits, with the annotation that client-side apply adds, into what the API server stores', async () => {
    const fresh = crdFor({ ...elsewhere, resource: { ...elsewhere.resource, group: `a${group}` } });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(fresh) };
    const applied = { ...fresh, metadata: { ...fresh.metadata, annotations } };
    await expect(client.create(CUSTOM_RESOURCE_DEFINITIONS, applied, { dryRun: true })).resolves.toBeDefined();
  });
});
