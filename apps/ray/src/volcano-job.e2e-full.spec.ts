/** A Volcano Job with the plugin ray on a real node without Volcano: a driver connects through the head's Service and trains on all pods. */
import { PODS, VOLCANO_COMMANDS } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS, volcanoJobToBe, volcanoPhaseToBe } from '@muster/testing';
import { expect, it } from 'vitest';
import { expectTraining, rayFixture } from '../test-support/ray-fixture.ts';

const LIMIT_MS = 300_000;
const fixture = await rayFixture(['--volcano-jobs']);

it(
  'a Volcano Job with the plugin ray runs submitted programs until a command completes it',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const { metadata } = await volcanoJobToBe(fixture.training, 'ray', 'Running');
    const { name = '' } = metadata ?? {};
    // Ray takes some time to start.
    await eventually(async () => (await fixture.request(name, '/api/version')).code === 200, { withinMs: LIMIT_MS });
    await fixture.submit(name, 'training', 'python train.py');
    await fixture.submittedToSucceed(name, 'training');
    expectTraining(await fixture.printed(name, 'training'), 3);
    const { namespace, client } = fixture;
    const job = {
      apiVersion: 'batch.volcano.sh/v1alpha1',
      kind: 'Job',
      name,
      uid: metadata?.uid ?? '',
      controller: true,
    };
    const command = { metadata: { generateName: `${name}-`, namespace, ownerReferences: [job] }, target: job };
    await client.create(VOLCANO_COMMANDS, { ...command, action: 'CompleteJob' });
    await volcanoPhaseToBe(fixture.training, name, 'Completed');
    expect((await client.list(PODS, { namespace })).items).toEqual([]);
  },
);
