import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import { ownerReference } from '../model/ownership.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { World } from '../world/world.ts';
import { gangsOf } from './gang-size.ts';
import type { GroupingScheduler } from '../contract/gang-scheduler.ts';
import { KUBERNETES } from './kubernetes.ts';
import { groupNameOf, rolesWithOwnGroup } from './own-groups.ts';
import { schedulerPlugins } from './scheduler-plugins.ts';
import { VOLCANO } from './volcano.ts';

const SERVER = role('Server', 2, podSpec({ cpu: '1' }));
const WORKER = role('Worker', 3, podSpec({ cpu: '2' }));
const startOrder = [{ role: 'Worker', dependsOn: ['Server'] }];
const ORDERED = trainingJob([SERVER, WORKER], { startOrder });
const AT_ONCE = trainingJob([SERVER, WORKER]);

const sizes = (job: TrainingJob, begun?: ReadonlySet<typeof WORKER>) =>
  gangsOf(NO_RULES, job, begun).map(({ name, size }) => ({ name, ...size }));

describe('the groups of a job', () => {
  it('are one if all pods are created at once', () => {
    expect(sizes(AT_ONCE)).toEqual([{ name: 'mnist', minMember: 5, minResources: { cpu: '8' } }]);
  });

  it('are one for the roles that start first, and one for each role that is created later', () => {
    expect(sizes(ORDERED)).toMatchObject([
      { name: 'mnist', minMember: 2, minResources: { cpu: '8' } },
      { name: 'mnist-worker', minMember: 3, minResources: undefined },
    ]);
  });

  it("include the role's resources until its pods are created", () => {
    expect(sizes(ORDERED, new Set([WORKER]))[0]).toMatchObject({ name: 'mnist', minResources: { cpu: '2' } });
  });

  it('use the minimum of an elastic role that is created later', () => {
    const rules = { ...NO_RULES, scheduling: { leastReplicas: () => 2 } };
    expect(gangsOf(rules, ORDERED)[1]?.size.minMember).toBe(2);
  });

  it.each([VOLCANO, schedulerPlugins('coscheduler'), KUBERNETES] as GroupingScheduler<never>[])(
    'are set in the pods by $name',
    (gang) => {
      const pod = (of: typeof WORKER): Pod =>
        gang.decorate({ metadata: {}, spec: of.template.spec! }, ORDERED, { role: of, index: 0 }, NO_RULES);
      expect(JSON.stringify(pod(WORKER))).toContain('"mnist-worker"');
      expect(JSON.stringify(pod(SERVER))).toContain('"mnist"');
    },
  );
});

describe('a job whose start order is changed', () => {
  const kind = { resource: VOLCANO.groups.resource, endsWithRun: true, trim: <T>(object: T) => object };
  const groups = (...names: readonly string[]) =>
    names.map((name) => ({ kind, object: { metadata: { name, ownerReferences: [ownerReference(ORDERED)] } } }));
  const running = [{ role: SERVER, index: 0, state: 'running' as const, pod: {} }];
  const missing = [{ role: SERVER, index: 0, state: 'missing' as const }];
  const named = (job: TrainingJob, existing: World['ownedResources'], replicas: typeof running | typeof missing) => {
    const rolesOfOwn = rolesWithOwnGroup(job, VOLCANO, existing, replicas);
    return groupNameOf({ ...job, rolesWithOwnGroup: rolesOfOwn }, WORKER);
  };

  it('keeps its groups while it has pods', () => {
    expect(named(AT_ONCE, groups('mnist', 'mnist-worker'), running)).toBe('mnist-worker');
    expect(named(ORDERED, groups('mnist'), running)).toBe('mnist');
  });

  it('counts only roles without their own group, also after a change of the start order', () => {
    const keeps = (job: TrainingJob, ...names: string[]) => sizes({ ...job, rolesWithOwnGroup: new Set(names) });
    expect(keeps(AT_ONCE, 'Worker')).toMatchObject([
      { name: 'mnist', minMember: 2 },
      { name: 'mnist-worker', minMember: 3 },
    ]);
    expect(keeps(ORDERED)).toMatchObject([{ name: 'mnist', minMember: 2 }]);
  });

  it('gets the groups of the new start order when it restarts', () => {
    expect(named(AT_ONCE, groups('mnist', 'mnist-worker'), missing)).toBe('mnist');
    expect(named(ORDERED, groups('mnist'), missing)).toBe('mnist-worker');
    expect(named(ORDERED, groups(), running)).toBe('mnist-worker');
  });

  it("ignores objects of another kind with a group's name", () => {
    const resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
    const others = groups('mnist').map(({ object }) => ({ kind: { ...kind, resource }, object }));
    expect(named(ORDERED, others, running)).toBe('mnist-worker');
  });
});
