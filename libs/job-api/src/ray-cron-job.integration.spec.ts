import { installCrd, testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { RAY_CRON_JOB_ADMISSION, rayCronJob } from '../test/ray-cron-job-cases.ts';
import { crdFor } from './crd.ts';
import { RAY_CRON_JOBS, rayCronJobDefinition, type RayCronJob } from './ray-cron-job.ts';

const cluster = await testCluster();
const { client } = cluster;
let namespace = '';

beforeAll(async () => {
  await installCrd(client, crdFor(rayCronJobDefinition));
  namespace = await cluster.namespace();
});

const placed = (manifest: object) => {
  const { metadata, ...rest } = manifest as RayCronJob;
  return { ...rest, metadata: { ...metadata, namespace } };
};

describe('admission of a RayCronJob', () => {
  const { refused, accepted } = RAY_CRON_JOB_ADMISSION;

  it.each(refused.map((each) => [each.what, each] as const))(
    'refuses %s, with path and remedy',
    async (_what, { manifest, path, message: expected }) => {
      const error: unknown = await client
        .create(RAY_CRON_JOBS, placed(manifest), { dryRun: true })
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'KubeError', code: 422, reason: 'Invalid' });
      const { message } = error as Error;
      expect(message).toContain(expected);
      expect(message).toContain(path.startsWith('metadata') ? 'metadata.name' : path);
    },
  );

  it.each(accepted.map((each) => [each.what, each] as const))('accepts %s', async (_what, { manifest }) => {
    await expect(client.create(RAY_CRON_JOBS, placed(manifest), { dryRun: true })).resolves.toBeDefined();
  });
});

describe('changes to a RayCronJob', () => {
  it('are accepted for every field, also managedBy of the template', async () => {
    const key = { namespace, name: 'changing' };
    const made = await client.create(RAY_CRON_JOBS, placed(rayCronJob({}, key.name)));
    expect(made.spec).not.toHaveProperty('concurrencyPolicy');
    const jobTemplate = { managedBy: 'kueue.x-k8s.io/multikueue', entrypoint: 'python other.py' };
    const spec = { schedule: '@hourly', timeZone: 'Asia/Tokyo', suspend: true, jobTemplate };
    expect((await client.patch(RAY_CRON_JOBS, key, { spec })).spec).toMatchObject(spec);
    await expect(client.patch(RAY_CRON_JOBS, key, { spec: { schedule: '@never' } })).rejects.toThrow('spec.schedule');
  });

  it('keep the status of KubeRay and fields that only Muster has', async () => {
    const key = { namespace, name: 'status' };
    await client.create(RAY_CRON_JOBS, placed(rayCronJob({}, key.name)));
    const status = {
      lastScheduleTime: '2026-01-02T03:00:00Z',
      nextScheduleTime: '2026-01-03T03:00:00Z',
      active: [{ name: 'status-29455380', uid: 'u-1' }],
      muster: { state: 'Running' },
    };
    expect((await client.patchStatus(RAY_CRON_JOBS, key, { status })).status).toEqual(status);
  });
});
