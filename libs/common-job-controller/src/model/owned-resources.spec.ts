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

/** What a job has that is as it should be, let into its queue; each of it as `as` says. */
function ownedResourcesOf(
  plain: PlainWorld,
  as: (object: KubeObject) => KubeObject = (object) => object,
): OwnedResource[] {
  const letIn = { status: { phase: 'Inqueue' } };
  return desiredOwnedResources(adapterOf(plain), jobOf(plain), VOLCANO, [], NO_CONTEXT).map(({ resource, object }) => ({
    kind: kindOf(resource.kind),
    object: as({ ...object, ...(resource.kind === 'PodGroup' && letIn) }),
  }));
}

function planOf(plain: PlainWorld, ownedResources: readonly OwnedResource[]) {
  const world = { ...worldOf(plain), ownedResources };
  const plan = planJob(adapterOf(plain), world, { ...SETTINGS, gang: VOLCANO });
  const { create, change, remove } = planned(plan).ownedResources;
  const said = ({ resource, object }: Pick<(typeof create)[number], 'resource' | 'object'>) =>
    `${resource.kind} ${object.metadata?.name}`;
  return {
    create: create.map(said),
    change: change.map((each) => [said(each), each.patch]),
    remove: remove.map(said),
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

describe('ownedResources: the pod group and the autoscaler of a job', () => {
  it.each<[string, PlainWorld, OwnedResource[], object]>([
    ['are made with the job', {}, [], { create: BOTH }],
    ['are left as they are while nothing differs', {}, ownedResourcesOf({}), {}],
    [
      'change with the job',
      { workers: 3 },
      ownedResourcesOf({}),
      { change: [['PodGroup job', { spec: { minMember: 3 } }]] },
    ],
    ['are not made while those of their names are still going', {}, ownedResourcesOf({}, going), {}],
    ['go with the end', { pods: [{ phase: 'Succeeded' }] }, ownedResourcesOf({}), { remove: BOTH }],
    ['go with a failure', { pods: [{ phase: 'Failed', exit: 1 }] }, ownedResourcesOf({}), { remove: BOTH }],
    ['go under suspension', { runPolicy: { suspend: true } }, ownedResourcesOf({}), { remove: BOTH }],
    ['go once', { runPolicy: { suspend: true } }, ownedResourcesOf({}, going), {}],
    ['are not made for a job that is over', { pods: [{ phase: 'Succeeded' }] }, [], {}],
    ['of another job are left alone', { runPolicy: { suspend: true } }, ownedResourcesOf({}, another), {}],
  ])('%s', (_case, plain, ownedResources, expected) => {
    expect(planOf(plain, ownedResources)).toEqual({ ...NOTHING, ...expected });
  });
});
