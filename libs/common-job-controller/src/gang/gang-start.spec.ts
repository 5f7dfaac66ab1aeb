import { ANNOTATIONS, type KubeObject, type VolcanoPodGroup } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { jobOf, namesOf, SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import { VOLCANO } from './volcano.ts';
import { NO_CONTEXT } from '../model/job-context.ts';
import { ownedKinds, desiredOwnedResources } from '../children/job-owned-resources.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { planned } from '../../test-support/planned.ts';

const KIND = ownedKinds(plainAdapter({}), VOLCANO).find(({ resource }) => resource === VOLCANO.groups.resource);
const NO_ROOM = { type: 'Unschedulable', status: 'True', reason: 'NotEnoughResources', message: 'no room for 2' };

function planOf(status: VolcanoPodGroup['status'] | undefined, emitted: readonly string[] = []) {
  const job = { workers: 2 };
  const adapter = plainAdapter(job);
  const groups = desiredOwnedResources(adapter, jobOf(job), VOLCANO, [], NO_CONTEXT).map(({ object }) => ({
    ...object,
    status,
  }));
  const ownedResources =
    KIND === undefined || status === undefined ? [] : groups.map((object) => ({ kind: KIND, object }));
  const world = { ...worldOf(job), ownedResources, emittedEvents: new Set(emitted) };
  const { create, events } = planned(planJob(adapter, world, { ...SETTINGS, gang: VOLCANO }));
  return { pods: namesOf(create.pods), events };
}

const PODS = ['job-worker-0', 'job-worker-1'];

describe('gangStart', () => {
  it('creates no pods before the pod group exists and is admitted', () => {
    expect(planOf(undefined).pods).toEqual([]);
    expect(planOf({ phase: 'Pending' }).pods).toEqual([]);
    expect(planOf({ phase: 'Inqueue' }).pods).toEqual(PODS);
    expect(planOf({ phase: 'Running' }).pods).toEqual(PODS);
  });

  it("reports once why no pods are created, with the scheduler's message", () => {
    const { events } = planOf({ phase: 'Pending', conditions: [NO_ROOM] });
    const [event] = events;
    expect(event).toMatchObject({ type: 'Normal', reason: 'WaitingForPodGroup', action: 'Schedule' });
    expect(event?.note).toContain('waits for capacity in queue default: NotEnoughResources: no room for 2');
    expect(planOf({ phase: 'Pending', conditions: [NO_ROOM] }, [event?.dedupKey ?? '']).events).toEqual([]);
    expect(planOf({ phase: 'Pending' }, [event?.dedupKey ?? '']).events).toMatchObject([
      { reason: 'WaitingForPodGroup' },
    ]);
  });

  it('reports once why pods cannot be placed', () => {
    const { events } = planOf({ phase: 'Inqueue', conditions: [NO_ROOM] });
    const [event] = events;
    expect(event).toMatchObject({
      type: 'Warning',
      reason: 'Unschedulable',
      note: 'NotEnoughResources: no room for 2',
    });
    expect(planOf({ phase: 'Inqueue', conditions: [NO_ROOM] }, [event?.dedupKey ?? '']).events).toEqual([]);
  });

  it('reports the same cause once with any numbers, and another cause again', () => {
    const dedupKeysOf = ({ events }: ReturnType<typeof planOf>) => events.flatMap(({ dedupKey }) => dedupKey ?? []);
    const stuck = (phase: 'Pending' | 'Inqueue', message: string) => ({ phase, conditions: [{ ...NO_ROOM, message }] });
    for (const phase of ['Pending', 'Inqueue'] as const) {
      const before = dedupKeysOf(planOf(stuck(phase, '2/2 tasks unschedulable, 2 Pending')));
      expect(before).toHaveLength(1);
      expect(planOf(stuck(phase, '1/2 tasks unschedulable, 1 Pending'), before).events).toEqual([]);
      expect(planOf(stuck(phase, 'queue default is closed'), before).events).toHaveLength(1);
    }
  });

  it('creates pods when all groups of the job exist, and reports nothing for the group of a role that has not started', () => {
    const roles = [
      { name: 'Server', replicas: 1 },
      { name: 'Worker', replicas: 2 },
    ];
    const job = { roles, runPolicy: { startOrder: [{ role: 'Worker', dependsOn: ['Server'] }] } };
    const adapter = plainAdapter(job);
    const wanted = desiredOwnedResources(adapter, jobOf(job), VOLCANO, [], NO_CONTEXT);
    expect(wanted.map(({ object }) => object.metadata?.name)).toEqual(['job', 'job-worker']);
    const status = { phase: 'Inqueue', conditions: [NO_ROOM] };
    const after = (groups: readonly KubeObject[]) => {
      const ownedResources = groups.map((object) => ({ kind: KIND!, object }));
      const { create, events } = planned(
        planJob(adapter, { ...worldOf(job), ownedResources }, { ...SETTINGS, gang: VOLCANO }),
      );
      return { pods: namesOf(create.pods), events: events.filter(({ note }) => note.includes(NO_ROOM.message)) };
    };
    const [first, later] = wanted.map(({ object }) => object);
    const own = { ...first!, status: { phase: 'Inqueue' } };
    expect(after([own]).pods).toEqual([]);
    expect(after([own, { ...later!, status }])).toEqual({ pods: ['job-server-0'], events: [] });
  });

  it('keeps the pod group of a job with pods if the annotation is changed to an unknown gang scheduler, and recreates pods in it', () => {
    const job = { workers: 2, pods: [{ index: 0 }], annotations: { [ANNOTATIONS.gangScheduler]: 'misspelt' } };
    const adapter = plainAdapter(job);
    const [group] = desiredOwnedResources(adapter, jobOf(job), VOLCANO, [], NO_CONTEXT);
    const ownedResources = [{ kind: KIND!, object: { ...group!.object, status: { phase: 'Running' } } }];
    const settings = { ...SETTINGS, gangs: [VOLCANO] };
    const { create, ownedResources: groups } = planned(planJob(adapter, { ...worldOf(job), ownedResources }, settings));
    expect(groups).toEqual({ create: [], change: [], remove: [] });
    expect(create.pods.map(({ metadata, spec }) => [metadata?.name, spec?.schedulerName])).toEqual([
      ['job-worker-1', 'volcano'],
    ]);
  });
});
