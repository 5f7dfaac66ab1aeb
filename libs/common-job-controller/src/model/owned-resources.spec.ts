import type { KubeObject } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB } from '../../test-support/plain-pod.ts';
import { jobOf, SETTINGS, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { OwnedResource, OwnedKind } from './owned-resources.ts';
import { VOLCANO } from '../gang/volcano.ts';
import { NO_CONTEXT } from './job-context.ts';
import { ownedKinds, desiredOwnedResources } from '../children/job-owned-resources.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { planned } from '../../test-support/planned.ts';

const adapterOf = (plain: PlainWorld): FrameworkAdapter => ({
  ...plainAdapter(plain),
  autoscaling: { autoscaler: () => ({ minReplicas: 1, maxReplicas: 4, metrics: [] }) },
});
const KINDS = ownedKinds(adapterOf({}), VOLCANO);

function kindOf(name: string): OwnedKind {
  const kind = KINDS.find(({ resource }) => resource.kind === name);
  if (kind === undefined) throw new Error(`operators do not watch ${name}`);
  return kind;
}

/** The owned resources that the plain job should have, each transformed by `as`. The PodGroup is in the phase Inqueue. */
function ownedResourcesOf(
  plain: PlainWorld,
  as: (object: KubeObject) => KubeObject = (object) => object,
): OwnedResource[] {
  const admitted = { status: { phase: 'Inqueue' } };
  return desiredOwnedResources(adapterOf(plain), jobOf(plain), VOLCANO, [], NO_CONTEXT).map(({ resource, object }) => ({
    kind: kindOf(resource.kind),
    object: as({ ...object, ...(resource.kind === 'PodGroup' && admitted) }),
  }));
}

function planOf(plain: PlainWorld, ownedResources: readonly OwnedResource[]) {
  const world = { ...worldOf(plain), ownedResources };
  const plan = planJob(adapterOf(plain), world, { ...SETTINGS, gang: VOLCANO });
  const { create, change, remove } = planned(plan).ownedResources;
  const nameOf = ({ resource, object }: Pick<(typeof create)[number], 'resource' | 'object'>) =>
    `${resource.kind} ${object.metadata?.name}`;
  return {
    create: create.map(nameOf),
    change: change.map((each) => [nameOf(each), each.patch]),
    remove: remove.map(nameOf),
  };
}

const BOTH = ['HorizontalPodAutoscaler job', 'PodGroup job'];
const NOTHING = { create: [], change: [], remove: [] };
const withMeta = (metadata: KubeObject['metadata']) => (object: KubeObject) => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});
const going = withMeta({ deletionTimestamp: '2030-01-01T12:00:00Z' });
const another = withMeta({
  ownerReferences: [{ apiVersion: 'v1', kind: 'PlainJob', name: JOB.name, uid: 'another', controller: true }],
});

describe('owned resources: the pod group and the autoscaler of a job', () => {
  it.each<[string, PlainWorld, OwnedResource[], object]>([
    ['are created with the job', {}, [], { create: BOTH }],
    ['are not changed while nothing differs', {}, ownedResourcesOf({}), {}],
    [
      'are patched when the job changes',
      { workers: 3 },
      ownedResourcesOf({}),
      { change: [['PodGroup job', { spec: { minMember: 3 } }]] },
    ],
    ['are not created while objects of their names are being deleted', {}, ownedResourcesOf({}, going), {}],
    ['are deleted when the job succeeds', { pods: [{ phase: 'Succeeded' }] }, ownedResourcesOf({}), { remove: BOTH }],
    [
      'are deleted when the job fails',
      { pods: [{ phase: 'Failed', exit: 1 }] },
      ownedResourcesOf({}),
      { remove: BOTH },
    ],
    ['are deleted when the job is suspended', { runPolicy: { suspend: true } }, ownedResourcesOf({}), { remove: BOTH }],
    [
      'are not deleted again while they are being deleted',
      { runPolicy: { suspend: true } },
      ownedResourcesOf({}, going),
      {},
    ],
    ['are not created for a finished job', { pods: [{ phase: 'Succeeded' }] }, [], {}],
    ['are not touched if another job owns them', { runPolicy: { suspend: true } }, ownedResourcesOf({}, another), {}],
  ])('%s', (_case, plain, ownedResources, expected) => {
    expect(planOf(plain, ownedResources)).toEqual({ ...NOTHING, ...expected });
  });
});
