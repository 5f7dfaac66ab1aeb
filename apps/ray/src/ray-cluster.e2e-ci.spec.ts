/**
 * A real Ray cluster: training, a lost worker, suspension, and a RayJob that selects the cluster and ends by its deadline.
 */
import { RAY_CLUSTERS, RAY_JOBS, type RayCluster } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { expectTraining, rayFixture } from '../test-support/ray-fixture.ts';

const fixture = await rayFixture();
const WORKERS = { 'ray.io/node-type': 'worker' };

describe('a RayCluster on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains on its head and two workers, recreates a lost worker, and continues training', async () => {
    const { metadata } = await fixture.example<RayCluster>('raycluster');
    const { name } = metadata;
    await fixture.create('raycluster');
    await fixture.clusterToBeReady(name);

    await fixture.submit(name, 'training', 'python train.py --epoch-seconds 1');
    await fixture.prints(name, 'training', /^epoch 1\//m);
    const [lost = '', kept = ''] = await fixture.podNames(name, WORKERS);
    await fixture.lose(lost);

    await fixture.submittedToSucceed(name, 'training');
    expectTraining(await fixture.printed(name, 'training'), 3);
    const workers = await fixture.podNames(name, WORKERS);
    expect(workers).toHaveLength(2);
    expect(workers).toContain(kept);
    expect(workers).not.toContain(lost);
  });

  it('stops the Ray job of a RayJob that selected it and reached its deadline, and the submitter ends', async () => {
    const { metadata } = await fixture.example<RayCluster>('raycluster');
    const { name: cluster } = metadata;
    await fixture.clusterToBeReady(cluster);
    const before = await fixture.podNames(cluster);
    const name = 'ray-late';
    await fixture.client.create(RAY_JOBS, {
      apiVersion: 'ray.io/v1',
      kind: 'RayJob',
      metadata: { name, namespace: fixture.namespace },
      spec: {
        entrypoint: 'echo it runs; sleep infinity',
        submissionMode: 'K8sJobMode',
        clusterSelector: { 'ray.io/cluster': cluster },
        activeDeadlineSeconds: 3600,
      },
    });
    const running = await fixture.jobToBe(name, ({ status }) => status?.jobStatus === 'RUNNING');
    const { jobId = '' } = running.status ?? {};
    await fixture.prints(cluster, jobId, /^it runs$/m);
    expect(await fixture.submitterPods(name)).toHaveLength(1);

    // Has passed by now.
    await fixture.client.patch(
      RAY_JOBS,
      { namespace: fixture.namespace, name },
      { spec: { activeDeadlineSeconds: 1 } },
    );
    const late = await fixture.jobToBe(name, ({ status }) => status?.jobStatus === 'STOPPED');
    expect(late.status).toMatchObject({ jobDeploymentStatus: 'Failed', reason: 'DeadlineExceeded' });
    // Ray gives the program a few seconds to end.
    const inRay = () => fixture.submitted(cluster, jobId);
    await eventually(async () => (await inRay()).status === 'STOPPED', { withinMs: 60_000, describe: inRay });
    const submitters = async () => (await fixture.submitterPods(name)).map(({ status }) => status?.phase);
    const haveEnded = async () => (await submitters()).every((phase) => phase === 'Failed');
    await eventually(haveEnded, { withinMs: 60_000, describe: submitters });
    expect(await fixture.podNames(cluster)).toEqual(before);
  });

  it('has no pods while it is suspended, and gets new ones when it is resumed', async () => {
    const { metadata } = await fixture.example<RayCluster>('raycluster');
    const key = { namespace: fixture.namespace, name: metadata.name };
    const former = await fixture.podNames(key.name);

    await fixture.client.patch(RAY_CLUSTERS, key, { spec: { suspend: true } });
    await fixture.clusterToBe(key.name, ({ status }) => status?.state === 'suspended');
    expect(await fixture.podStates(key.name)).toEqual({});

    await fixture.client.patch(RAY_CLUSTERS, key, { spec: { suspend: false } });
    await fixture.clusterToBeReady(key.name);
    const pods = await fixture.podNames(key.name);
    expect(pods).toHaveLength(former.length);
    expect(pods.filter((pod) => former.includes(pod))).toEqual([]);
    await eventually(async () => (await fixture.request(key.name, '/api/version')).code === 200);
  });
});
