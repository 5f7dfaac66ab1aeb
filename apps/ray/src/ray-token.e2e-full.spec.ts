/** Token authentication of a real Ray cluster. */
import { SECRETS, type RayCluster, type RayJob } from '@muster/job-api';
import { TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { rayFixture } from '../test-support/ray-fixture.ts';

const fixture = await rayFixture();

describe('a RayCluster with a token on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('starts with the token, and refuses requests without it', async () => {
    const { metadata } = await fixture.example<RayCluster>('token');
    const { name } = metadata;
    await fixture.create('token');
    await fixture.clusterToBeReady(name);

    const { data = {} } = await fixture.client.get(SECRETS, { namespace: fixture.namespace, name });
    const token = Buffer.from(data.auth_token ?? '', 'base64').toString();
    const codeWith = async (sent?: string) => {
      const headers = sent === undefined ? {} : { 'x-ray-authorization': `Bearer ${sent}` };
      return (await fixture.request(name, '/api/jobs/', { headers })).code;
    };
    expect({ without: await codeWith(), wrong: await codeWith('guessed'), right: await codeWith(token) }).toEqual({
      without: 401,
      wrong: 403,
      right: 200,
    });
  });

  it('runs a RayJob, whose submitter and operator have the token', async () => {
    const job = await fixture.example<RayJob>('rayjob-fails');
    const entrypoint = 'python -c "print(6 * 7)"';
    const rayClusterSpec = { ...job.spec.rayClusterSpec, authOptions: {} };
    await fixture.create('rayjob-fails', { ...job, spec: { ...job.spec, entrypoint, rayClusterSpec } } as RayJob);
    const { status } = await fixture.jobToEnd(job.metadata.name);
    expect(status, status?.message).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
    const [submitter] = await fixture.submitterPods(job.metadata.name);
    expect(await fixture.logOf(submitter?.metadata.name ?? '', 'ray-job-submitter')).toMatch(/^42$/m);
  });
});
