/** A Volcano Job with the plugin ray on a real node, where no Volcano is: a driver comes through the head's Service, and trains on all pods. */
import { PODS, VOLCANO_JOBS } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS, volcanoJobToBe } from '@muster/testing';
import { it } from 'vitest';
import { expectTraining, rayStage } from '../test-support/ray-stage.ts';

const LIMIT_MS = 300_000;
const stage = await rayStage(['--volcano-jobs']);

it('runs what is submitted to its head, until it is deleted', { timeout: TRAINING_TIMEOUT_MS }, async () => {
  const { metadata } = await volcanoJobToBe(stage.training, 'ray', 'Running');
  const { name = '' } = metadata ?? {};
  // The head's program needs a while.
  await eventually(async () => (await stage.ask(name, '/api/version')).code === 200, { withinMs: LIMIT_MS });
  await stage.submit(name, 'training', 'python train.py');
  await stage.submittedToSucceed(name, 'training');
  expectTraining(await stage.printed(name, 'training'), 3);
  const { namespace, client } = stage;
  await client.delete(VOLCANO_JOBS, { namespace, name });
  await eventually(async () => (await client.list(PODS, { namespace })).items.length === 0, { withinMs: LIMIT_MS });
});
