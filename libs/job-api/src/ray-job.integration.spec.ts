import { testCluster } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { RAY_JOB_ADMISSION } from '../test/ray-job-cases.ts';
import { jobSpec } from '../test/ray-manifests.ts';
import { JOB_OF_KUBERAY, JOB_STATUS_OF_KUBERAY } from '../test/ray-stored-by-kuberay.ts';
import { RAY_JOBS, type RayJob } from './ray-job.ts';

const cluster = await testCluster();
const { client } = cluster;

describeAdmission(RAY_JOB_ADMISSION, cluster);

describe('changes to a RayJob', () => {
  it('are rejected if they break a rule, and accepted if not', async () => {
    const namespace = await cluster.namespace();
    const name = 'changing';
    await client.create(RAY_JOBS, { metadata: { name, namespace }, spec: jobSpec() } as RayJob);
    const change = (spec: object) => client.patch(RAY_JOBS, { namespace, name }, { spec });
    await expect(change({ suspend: true })).rejects.toThrow('spec.suspend: Forbidden: set shutdownAfterJobFinishes');
    await expect(change({ entrypoint: '' })).rejects.toThrow('spec.entrypoint: Required value');
    await expect(change({ suspend: true, shutdownAfterJobFinishes: true })).resolves.toBeDefined();
    await expect(change({ jobId: 'mine', rayClusterSpec: { rayVersion: '2.60.0' } })).resolves.toBeDefined();
  });
});

describe('a RayJob stored by KubeRay', () => {
  it('keeps its spec and status, and accepts a new status and removal of its finalizer', async () => {
    const namespace = await cluster.namespace();
    const { metadata, ...rest } = JOB_OF_KUBERAY as { metadata: { name: string } };
    const key = { namespace, name: metadata.name };
    const made = await client.create(RAY_JOBS, { metadata: { ...metadata, namespace }, ...rest } as RayJob);
    expect(made.spec).toEqual(JOB_OF_KUBERAY.spec);
    const { status } = await client.patchStatus(RAY_JOBS, key, { status: JOB_STATUS_OF_KUBERAY });
    expect(status).toEqual(JOB_STATUS_OF_KUBERAY);
    const muster = { conditions: [], startTime: '2026-01-02T03:04:05Z' };
    const ended = { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED', muster };
    const after = await client.patchStatus(RAY_JOBS, key, { status: ended });
    expect(after.status).toEqual({ ...JOB_STATUS_OF_KUBERAY, ...ended });
    await client.patch(RAY_JOBS, key, { metadata: { finalizers: null } });
    expect((await client.get(RAY_JOBS, key)).metadata?.finalizers).toBeUndefined();
  });
});
