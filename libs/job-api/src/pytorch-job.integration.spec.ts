import { randomUUID } from 'node:crypto';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeAdmission } from '../test-support/describe-admission.ts';
import fullTemplate from '../test/full-pod-template.json' with { type: 'json' };
import { LONGEST_NAME } from '../test/cases-of-every-kind.ts';
import { job, PYTORCH_ADMISSION, role } from '../test/pytorch-job-cases.ts';
import { crdFor } from './crd.ts';
import type { KubeObject, Resource } from './kubernetes.ts';
import { PYTORCH_JOBS, pytorchJobDefinition, type PyTorchJob } from './pytorch-job.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from './resources.ts';

const cluster = await testCluster();
const { client } = cluster;
// Untyped manifests, which the server validates.
const MANIFESTS: Resource = PYTORCH_JOBS;
let namespace = '';

beforeAll(async () => {
  await installCrd(client, crdFor(pytorchJobDefinition));
  namespace = await cluster.namespace();
});

const created = (name: string, spec: object) =>
  client.create(PYTORCH_JOBS, { ...job(spec), metadata: { name, namespace } } as PyTorchJob);

const changed = (name: string, spec: object) => client.patch(PYTORCH_JOBS, { namespace, name }, { spec });

const workers = (fields: object = {}) => ({ pytorchReplicaSpecs: { Worker: role(fields) } });

describeAdmission(PYTORCH_ADMISSION, cluster);

describe('admission of a PyTorchJob', () => {
  it('validates the generated name, not its prefix', async () => {
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

  it('keeps every field of a pod template, known or not', async () => {
    const spec = { pytorchReplicaSpecs: { Worker: { replicas: 1, template: fullTemplate } } };
    await created('round-trip', spec);
    const stored = await client.get(PYTORCH_JOBS, { namespace, name: 'round-trip' });
    expect(stored.spec.pytorchReplicaSpecs.Worker?.template).toEqual(fullTemplate);
  });
});

describe('changes to a PyTorchJob', () => {
  it('accepts a new queue, and then rejects changes of it', async () => {
    await created('queued', workers());
    await changed('queued', { runPolicy: { schedulingPolicy: { queue: 'default' } } });
    await expect(changed('queued', { runPolicy: { schedulingPolicy: { queue: 'other' } } })).rejects.toThrow(
      'spec.runPolicy.schedulingPolicy.queue is immutable',
    );
  });

  it('applies the rules of elastic bounds to later changes', async () => {
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

  it('accepts suspension and resumption', async () => {
    await created('suspended', workers());
    await expect(changed('suspended', { runPolicy: { suspend: true } })).resolves.toBeDefined();
    await expect(changed('suspended', { runPolicy: { suspend: false } })).resolves.toBeDefined();
  });
});

describe('the status of a PyTorchJob', () => {
  it('is written only through its subresource', async () => {
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

  it('provides the columns of kubectl get', async () => {
    await created('columns', workers());
    const status = { state: 'Running', ready: '1/1', restartCount: 3 };
    await client.patchStatus(PYTORCH_JOBS, { namespace, name: 'columns' }, { status });
    // The server evaluates the definition for kubectl, so the test reads the definition.
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

  it('reads and writes the workers, and has their selector for autoscalers', async () => {
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

  it('rejects 0 and explains how to suspend the job instead', async () => {
    await created('not-to-zero', workers({ replicas: 2 }));
    await expect(scaledTo('not-to-zero', 0)).rejects.toThrow('set spec.runPolicy.suspend to true');
  });

  const runs = (name: string) =>
    client.patchStatus(PYTORCH_JOBS, { namespace, name }, { status: { state: 'Running' } });

  it.each<{ what: string; elasticPolicy: object; master?: object; taken: number[]; refused: number[] }>([
    { what: 'within its bounds', elasticPolicy: { minReplicas: 2, maxReplicas: 3 }, taken: [3, 2], refused: [4, 1] },
    { what: 'within one bound that is used for both', elasticPolicy: { maxReplicas: 3 }, taken: [3], refused: [4, 2] },
    { what: 'at its size, if it has no bounds', elasticPolicy: { rdzvBackend: 'c10d' }, taken: [2], refused: [3, 1] },
    {
      what: 'within its bounds, where a master is one of the nodes',
      elasticPolicy: { minReplicas: 2, maxReplicas: 3 },
      master: { Master: role() },
      taken: [3, 1],
      refused: [4],
    },
  ])('keeps a running elastic job $what', async ({ what, elasticPolicy, master, taken, refused }) => {
    const name = `bounds-${what.replaceAll(/[^a-z]+/g, '-').slice(0, 40)}x`;
    const { pytorchReplicaSpecs } = workers({ replicas: 2 });
    await created(name, { pytorchReplicaSpecs: { ...pytorchReplicaSpecs, ...master }, elasticPolicy });
    await runs(name);
    for (const replicas of taken) await expect(scaledTo(name, replicas)).resolves.toBeDefined();
    for (const replicas of refused) {
      await expect(scaledTo(name, replicas)).rejects.toThrow(
        /spec\.pytorchReplicaSpecs(\[Worker\]|\.Worker)\.replicas.*must stay within elasticPolicy/,
      );
    }
  });

  it('accepts any size of an elastic job without pods, and later sizes closer to the bounds', async () => {
    await created('beyond', { ...workers({ replicas: 2 }), elasticPolicy: { minReplicas: 2, maxReplicas: 3 } });
    await expect(scaledTo('beyond', 5)).resolves.toBeDefined();
    await runs('beyond');
    await expect(
      client.patchStatus(PYTORCH_JOBS, { namespace, name: 'beyond' }, { status: { ready: '0/5' } }),
    ).resolves.toBeDefined();
    await expect(scaledTo('beyond', 4)).rejects.toThrow('must stay within elasticPolicy');
    await expect(scaledTo('beyond', 3)).resolves.toBeDefined();
    await expect(
      changed('beyond', { pytorchReplicaSpecs: { Worker: { replicas: 5 } }, runPolicy: { suspend: true } }),
    ).resolves.toBeDefined();
    await expect(scaledTo('beyond', 6)).resolves.toBeDefined();
  });

  it('keeps a job without bounds within the initial bounds in its status', async () => {
    await created('began', { ...workers({ replicas: 3 }), elasticPolicy: {} });
    const elastic = { minReplicas: 2, maxReplicas: 4, wanted: 3, granted: 3, reason: 'AsWanted' };
    const status = { state: 'Running', elastic } as const;
    await client.patchStatus(PYTORCH_JOBS, { namespace, name: 'began' }, { status });
    await expect(scaledTo('began', 4)).resolves.toBeDefined();
    await expect(scaledTo('began', 5)).rejects.toThrow('must stay within elasticPolicy');
  });

  it.each(['Succeeded', 'Failed'])('rejects a new size of an elastic job that is %s', async (state) => {
    const name = `ended-${state.toLowerCase()}`;
    await created(name, { ...workers({ replicas: 2 }), elasticPolicy: { minReplicas: 1, maxReplicas: 3 } });
    const status = { state, startTime: '2030-01-01T00:00:00Z', ready: '2/2' };
    await client.patchStatus(PYTORCH_JOBS, { namespace, name }, { status });
    await expect(scaledTo(name, 3)).rejects.toThrow('cannot be changed: the job has ended');
    await expect(changed(name, { runPolicy: { ttlSecondsAfterFinished: 5 } })).resolves.toBeDefined();
  });

  it.each(['Succeeded', 'Failed'])('rejects a new size of a static job that is %s', async (state) => {
    const name = `static-${state.toLowerCase()}`;
    await created(name, workers({ replicas: 2 }));
    await client.patchStatus(PYTORCH_JOBS, { namespace, name }, { status: { state, ready: '2/2' } });
    await expect(scaledTo(name, 3)).rejects.toThrow('cannot be changed: the job has ended');
  });

  it('accepts a correction of an elastic job that could not start', async () => {
    await created('corrected', { ...workers({ replicas: 2 }), elasticPolicy: { minReplicas: 1, maxReplicas: 3 } });
    const status = { state: 'Failed', startTime: '2030-01-01T00:00:00Z' };
    await client.patchStatus(PYTORCH_JOBS, { namespace, name: 'corrected' }, { status });
    await expect(scaledTo('corrected', 3)).resolves.toBeDefined();
  });

  it('rejects so many workers that their pod names become too long', async () => {
    await created(LONGEST_NAME, workers({ replicas: 2 }));
    await expect(scaledTo(LONGEST_NAME, 11)).rejects.toThrow('shorten metadata.name to 53 characters');
    await expect(scaledTo(LONGEST_NAME, 10)).resolves.toBeDefined();
  });
});

describe('the CRD of PyTorchJob', () => {
  it('is served, structural and free of warnings about its schema', async () => {
    const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: 'pytorchjobs.kubeflow.org' });
    const holding = status?.conditions?.filter((condition) => condition.status === 'True').map(({ type }) => type);
    expect(holding?.toSorted()).toEqual(['Established', 'NamesAccepted']);
  });

  it('describes its fields for kubectl explain', async () => {
    const explained = await eventually(
      async () => {
        const api = await client.raw<{ components: { schemas: Record<string, unknown> } }>(
          '/openapi/v3/apis/kubeflow.org/v1',
        );
        return JSON.stringify(api.components.schemas['org.kubeflow.v1.PyTorchJob'] ?? '');
      },
      { withinMs: 30_000, describe: 'PyTorchJob is in the published OpenAPI' },
    );
    expect(explained).toContain('Minimum number of workers.');
  });

  it('is small enough for the API server with the annotation of client-side apply', async () => {
    const group = `g${randomUUID().slice(0, 8)}.muster.test`;
    const fresh = crdFor({ ...pytorchJobDefinition, resource: { ...PYTORCH_JOBS, group } });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(fresh) };
    const applied = { ...fresh, metadata: { ...fresh.metadata, annotations } };
    await expect(client.create(CUSTOM_RESOURCE_DEFINITIONS, applied, { dryRun: true })).resolves.toBeDefined();
  });
});
