/** A RayCronJob on a real node. Its manifest is in `examples/`. */
import { RAY_CRON_JOBS, RAY_JOBS, type RayCronJob } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { expect, it } from 'vitest';
import { expectTraining, rayFixture } from '../test-support/ray-fixture.ts';

const fixture = await rayFixture();
const LIMIT_MS = TRAINING_TIMEOUT_MS / 4;

it(
  'a RayCronJob of every minute trains, and is deleted with its RayJobs',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const { client, namespace } = fixture;
    const example = await fixture.training.example<RayCronJob>('raycronjob');
    const { name = '' } = example.metadata;
    const jobTemplate = { ...example.spec.jobTemplate, ttlSecondsAfterFinished: 3600 };
    await client.create(RAY_CRON_JOBS, { ...example, spec: { ...example.spec, schedule: '* * * * *', jobTemplate } });
    const runs = async () =>
      (await client.list(RAY_JOBS, { namespace, labelSelector: `ray.io/cronjob-name=${name}` })).items;
    const describe = async () => (await runs()).map(({ metadata, status }) => [metadata?.name, status]);
    const [run] = await eventually(
      async () => {
        const found = await runs();
        return found.length > 0 && found;
      },
      { withinMs: LIMIT_MS, describe },
    );
    // One run is enough.
    await client.patch(RAY_CRON_JOBS, { namespace, name }, { spec: { suspend: true } });

    const { status = {} } = await fixture.jobToEnd(run?.metadata?.name ?? '');
    expect(status, status.message).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
    expectTraining(await fixture.printed(status.rayClusterName ?? '', status.jobId ?? ''), 2);
    await fixture.training.objectToBe(
      RAY_CRON_JOBS,
      name,
      ({ status: seen }) => seen?.lastSuccessfulTime === status.endTime && seen?.active?.length === 0,
      describe,
    );

    await client.delete(RAY_CRON_JOBS, { namespace, name });
    await eventually(async () => (await runs()).length === 0, { withinMs: LIMIT_MS, describe });
    const pods = () => fixture.podStates(status.rayClusterName ?? '');
    await eventually(async () => Object.keys(await pods()).length === 0, { withinMs: LIMIT_MS, describe: pods });
  },
);
