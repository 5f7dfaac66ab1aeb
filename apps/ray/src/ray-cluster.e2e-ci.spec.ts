/**
 * A real Ray cluster: training, a lost worker, suspension, and a RayJob that selects the cluster and ends by its deadline.
 */
import { RAY_CLUSTERS, RAY_JOBS, type RayCluster } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { expectTraining, rayFixture } from '../test-support/ray-fixture.ts';

const stage = await rayFixture();
const WORKERS = { 'ray.io/node-type': 'worker' };

describe('a RayCluster on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains on its head and two workers, recreates a lost worker, and continues training', async () => {
    const { metadata } = await stage.example<RayCluster>('raycluster');
    const { name } = metadata;
    await stage.create('raycluster');
    await stage.clusterToBeReady(name);

    await stage.submit(name, 'training', 'python train.py --epoch-seconds 1');
    await stage.prints(name, 'training', /^epoch 1\//m);
    const [lost = '', kept = ''] = await stage.podNames(name, WORKERS);
    await stage.lose(lost);

    await stage.submittedToSucceed(name, 'training');
    expectTraining(await stage.printed(name, 'training'), 3);
    const workers = await stage.podNames(name, WORKERS);
    expect(workers).toHaveLength(2);
    expect(workers).toContain(kept);
    expect(workers).not.toContain(lost);
  });

  it('stops the Ray job of a RayJob that selected it and reached its deadline, and the submitter ends', async () => {
    const { metadata } = await stage.example<RayCluster>('raycluster');
    const { name: cluster } = metadata;
    await stage.clusterToBeReady(cluster);
    const before = await stage.podNames(cluster);
    const name = 'ray-late';
    await stage.client.create(RAY_JOBS, {
      apiVersion: 'ray.io/v1',
      kind: 'RayJob',
      metadata: { name, namespace: stage.namespace },
      spec: {
        entrypoint: 'echo it runs; sleep infinity',
        submissionMode: 'K8sJobMode',
        clusterSelector: { 'ray.io/cluster': cluster },
        activeDeadlineSeconds: 3600,
      },
    });
    const running = await stage.jobToBe(name, ({ status }) => status?.jobStatus === 'RUNNING');
    const { jobId = '' } = running.status ?? {};
    await stage.prints(cluster, jobId, /^it runs$/m);
    expect(await stage.submitterPods(name)).toHaveLength(1);

    // Has passed by now.
    await stage.client.patch(RAY_JOBS, { namespace: stage.namespace, name }, { spec: { activeDeadlineSeconds: 1 } });
    const late = await stage.jobToBe(name, ({ status }) => status?.jobStatus === 'STOPPED');
    expect(late.status).toMatchObject({ jobDeploymentStatus: 'Failed', reason: 'DeadlineExceeded' });
    // Ray gives the program a few seconds to end.
    const inRay = () => stage.submitted(cluster, jobId);
    await eventually(async () => (await inRay()).status === 'STOPPED', { withinMs: 60_000, describe: inRay });
    const submitters = async () => (await stage.submitterPods(name)).map(({ status }) => status?.phase);
    const haveEnded = async () => (await submitters()).every((phase) => phase === 'Failed');
    await eventually(haveEnded, { withinMs: 60_000, describe: submitters });
    expect(await stage.podNames(cluster)).toEqual(before);
  });

  it('has no pods while it is suspended, and gets new ones when it is resumed', async () => {
    const { metadata } = await stage.example<RayCluster>('raycluster');
    const key = { namespace: stage.namespace, name: metadata.name };
    const former = await stage.podNames(key.name);

    await stage.client.patch(RAY_CLUSTERS, key, { spec: { suspend: true } });
    await stage.clusterToBe(key.name, ({ status }) => status?.state === 'suspended');
    expect(await stage.podStates(key.name)).toEqual({});

    await stage.client.patch(RAY_CLUSTERS, key, { spec: { suspend: false } });
    await stage.clusterToBeReady(key.name);
    const pods = await stage.podNames(key.name);
    expect(pods).toHaveLength(former.length);
    expect(pods.filter((pod) => former.includes(pod))).toEqual([]);
    await eventually(async () => (await stage.ask(key.name, '/api/version')).code === 200);
  });
});
