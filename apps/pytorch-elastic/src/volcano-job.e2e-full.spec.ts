/** A Volcano Job trains on a real node without Volcano. */
import { NATIVE_POD_GROUPS, PYTORCH_CONTAINER, PODS } from '@muster/job-api';
import {
  trainingFixture,
  TRAINING_TIMEOUT_MS,
  volcanoJobToBe,
  volcanoJobToComplete,
  volcanoPhaseToBe,
} from '@muster/testing';
import { expect, it } from 'vitest';

const fixture = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER, [
  '--volcano-jobs',
  '--gang-schedulers=kubernetes',
]);

it('a Volcano Job trains with a master and two workers', { timeout: TRAINING_TIMEOUT_MS }, async () => {
  await volcanoJobToComplete(fixture, 'pytorch');
  const { first, last, workers } = await fixture.resultOf('volcano-pytorch-master-0');
  expect(workers).toBe(3);
  expect(last).toBeLessThan(first / 5);
});

it('a Volcano Job trains as a gang under the scheduler of Kubernetes', { timeout: TRAINING_TIMEOUT_MS }, async () => {
  const { client, namespace } = fixture;
  const [name, key] = ['volcano-pytorch-gang', { namespace, name: 'volcano-pytorch-gang' }];
  await volcanoJobToBe(fixture, 'pytorch-gang', 'Running');
  expect((await client.get(NATIVE_POD_GROUPS, key)).spec?.schedulingPolicy).toEqual({ gang: { minCount: 3 } });
  const pods = (await client.list(PODS, { namespace })).items.filter(({ metadata }) =>
    metadata?.ownerReferences?.some((owner) => owner.name === name),
  );
  expect(pods.map(({ spec }) => spec)).toEqual(
    pods.map(() => expect.objectContaining({ schedulingGroup: { podGroupName: name } }) as unknown),
  );
  await volcanoPhaseToBe(fixture, name, 'Completed');
  const { workers } = await fixture.resultOf(`${name}-master-0`);
  expect(workers).toBe(3);
});
