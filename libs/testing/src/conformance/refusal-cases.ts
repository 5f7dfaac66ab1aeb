/** Writes that the API server refuses: by quota, by policy, as invalid, or in a terminating namespace. */
import type { Event, KubeObject, PodSpec, Resource } from '@muster/job-api';
import { expect } from 'vitest';
import { NAMESPACES } from '../test-cluster.ts';
import { isLetThrough, LABEL, mayCreatePods, podsNeedLabel, requireLabel, type Denial } from './admission-policy.ts';
import type { ConformanceCase } from './conformance-case.ts';
import type { ConformanceJob } from './conformance-framework.ts';
import type { Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

type WithSpec = KubeObject & { spec?: object; status?: { hard?: object } };

const QUOTAS: Resource<WithSpec> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};

/** Waits until the failure to create pods was emitted more often than that. Returns those events. */
async function repeatedEvents(fixture: Fixture, job: TestJob, times = 2): Promise<Event[]> {
  let events: Event[] = [];
  return fixture.until(
    async () => {
      fixture.clock.advance(30_000);
      events = await failuresToCreate(fixture, job);
      return events.some((event) => timesOf(event) > times) && events;
    },
    () => ({ events }),
  );
}

/**
 * Waits until the job is as before after five more failures to create pods. Earlier changes are allowed: a launcher that waits for its
 * workers has a condition that says so, after a minute of the clock that the restarted operator has seen.
 */
async function jobToStayAsItIs(fixture: Fixture, job: TestJob): Promise<void> {
  let before: { readonly version: string | undefined; readonly failures: number } | undefined;
  let changes = 0;
  await fixture.until(
    async () => {
      fixture.clock.advance(30_000);
      const failures = (await failuresToCreate(fixture, job)).reduce((sum, event) => sum + timesOf(event), 0);
      const version = (await job.get()).metadata?.resourceVersion;
      if (before?.version === version) return failures >= (before?.failures ?? 0) + 5;
      before = { version, failures };
      changes += 1;
      return false;
    },
    () => ({ changes, before }),
  );
}

async function failuresToCreate(fixture: Fixture, job: TestJob): Promise<Event[]> {
  return (await fixture.eventsAbout(job.name)).filter(({ reason }) => reason === 'FailedCreatePod');
}

function timesOf({ series }: Event): number {
  return series?.count ?? 1;
}

async function replicaFailureToBe(job: TestJob, text: string): Promise<void> {
  const { conditions = [] } = await job.statusToBe(`a ReplicaFailure: ${text}`, ({ conditions: all = [] }) =>
    all.some(
      ({ type, status, message = '' }) => type === 'ReplicaFailure' && status === 'True' && message.includes(text),
    ),
  );
  expect(conditions.find(({ type }) => type === 'ReplicaFailure')?.reason).toBe('FailedCreate');
  expect(conditions.at(-1)?.type).not.toBe('ReplicaFailure');
}

async function noHindranceToBe(job: TestJob): Promise<void> {
  await job.statusToBe('no ReplicaFailure', ({ conditions = [] }) =>
    conditions.every(({ type }) => type !== 'ReplicaFailure'),
  );
}

/** A restarted operator cannot distinguish names whose pod is deleted from unused ones: it assigns new names, once. */
async function otherNames(job: TestJob, before: NonNullable<ConformanceJob['status']>): Promise<void> {
  const highest = ({ replicaStatuses = {} }: typeof before) =>
    Object.values(replicaStatuses).map(({ nextOrdinal = 0 }) => nextOrdinal);
  const old = highest(before);
  await job.statusToBe('other names in every role', (status) =>
    highest(status).every((ordinal, at) => ordinal > (old[at] ?? 0)),
  );
}

/** A quota that is in effect: no pod is admitted. */
async function fullQuota(fixture: Fixture): Promise<{ namespace: string; name: string }> {
  const key = { namespace: fixture.namespace, name: 'few' };
  await fixture.client.create(QUOTAS, { metadata: key, spec: { hard: { pods: '0' } } });
  await fixture.until(async () => !(await mayCreatePods(fixture)), 'admission has observed the quota');
  return key;
}

const refusedForAWhile = (reason: Denial): ConformanceCase => ({
  name: `pods that an admission policy refuses for a while as ${reason}: reported in a condition, and created once it is removed`,
  concern: reason === 'Forbidden' ? 'ownedResources' : 'engine',
  also: reason === 'Forbidden' ? ['kinds with unique names'] : [],
  async play(fixture) {
    const takeBack = await requireLabel(fixture, podsNeedLabel(reason));
    const job = await fixture.job();
    await replicaFailureToBe(job, `pods need the label ${LABEL}`);
    expect((await job.status()).state).toBe('Created');
    await fixture.metrics.waitingToBe({ Refused: 1 });
    await job.eventToBe('FailedCreatePod');
    const before = await job.status();
    await fixture.restartOperator();
    if (fixture.framework.hasUniqueNames === true) await otherNames(job, before);
    await jobToStayAsItIs(fixture, job);
    await takeBack();
    await fixture.until(async () => {
      fixture.clock.advance(30_000);
      return (await job.livePods()).length === job.first.length;
    }, 'all pods are created');
    await job.run();
    expect(await job.conditions()).toEqual(['Created=True', 'Running=True']);
    await fixture.countersToBe({ failed: 0 });
  },
});

export const refusalCases: readonly ConformanceCase[] = [
  {
    name: 'pods beyond a quota: reported in a condition and one event of each role, retried, and all created once it is raised',
    concern: 'engine',
    async play(fixture) {
      // A quota is stored before it is in effect: admission refuses all pods until it has counted the current use.
      const key = await fullQuota(fixture);
      await fixture.client.patch(QUOTAS, key, { spec: { hard: { pods: '1' } } });
      await fixture.until(() => mayCreatePods(fixture), 'the quota leaves room for one pod');
      const job = await fixture.job({ workers: 4, runPolicy: { backoffLimit: 0 } });
      const emitted = await repeatedEvents(fixture, job);
      // The first pod that is refused may be of another role when the creation is retried.
      const roles = emitted.map(
        ({ note = '' }) => /^create pods "\S+\/(\S+?)(-\d+)?": .*exceeded quota/.exec(note)?.[1],
      );
      expect(roles, JSON.stringify(emitted)).toEqual([...new Set(roles)]);
      expect(roles).not.toContain(undefined);
      expect(emitted.map(({ type }) => type)).toEqual(roles.map(() => 'Warning'));
      expect(await job.livePods()).toHaveLength(1);
      const { state, restartCount = 0 } = await job.status();
      expect([state, restartCount]).toEqual(['Created', 0]);
      await fixture.client.patch(QUOTAS, key, { spec: { hard: { pods: '20' } } });
      fixture.clock.advance(1_000_000);
      await fixture.until(async () => {
        // Admission applies the quota's new size a moment later.
        fixture.clock.advance(1_000_000);
        return (await job.livePods()).length === job.first.length;
      }, 'all pods are created');
      await job.run();
      await fixture.countersToBe({ failed: 0 });
    },
  },
  {
    name: 'an unknown field in a pod template, which the API server drops: emitted once as an event with its warning',
    concern: 'ownedResources',
    async play(fixture) {
      const job = await fixture.job({ workers: 3, podSpec: { schedulerNam: 'none' } as Partial<PodSpec> });
      await job.run();
      await fixture.settled();
      // A stopping operator writes its pending events.
      await fixture.stopOperators();
      const events = await fixture.eventsAbout(job.name);
      const warnings = events.filter(({ reason }) => reason === 'APIServerWarning');
      const workers = new RegExp(` ${job.name}-${fixture.framework.workerRole.toLowerCase()}(-worker)?(-\\d+)?:`);
      const ofWorkers = warnings.filter(({ note = '' }) => workers.test(note));
      const note = expect.stringMatching(/^\w+ \S+: unknown field "spec\.\S*schedulerNam"/) as string;
      const expected = job.ownsNoPods ? [] : [['Warning', note, 1]];
      expect(ofWorkers.map((event) => [event.type, event.note, event.series?.count ?? 1])).toEqual(expected);
      await fixture.startOperator();
    },
  },
  ...(['Forbidden', 'Invalid', 'RequestEntityTooLarge'] as const).map(refusedForAWhile),
  {
    name: 'a lost pod that an admission policy refuses for a while: recreated once it is removed, and the job continues',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job();
      await job.run();
      const { resourceVersion: _version, ...before } = (await job.get()).metadata ?? {};
      const takeBack = await requireLabel(fixture, podsNeedLabel('Invalid'));
      const [lost = ''] = job.workerPods;
      const { [lost]: uid = '' } = await job.uids();
      await job.deletePod(lost);
      await replicaFailureToBe(job, `pods need the label ${LABEL}`);
      expect((await job.status()).state).toMatch(/^(Running|Restarting)$/);
      expect((await job.conditions()).at(-1)).toMatch(/^(Running|Restarting)=True$/);
      await takeBack();
      await fixture.until(async () => {
        fixture.clock.advance(30_000);
        return job.pod(lost).then(
          ({ metadata }) => metadata?.uid !== uid,
          () => false,
        );
      }, 'the lost pod is recreated');
      await fixture.reportRunning([lost]);
      await noHindranceToBe(job);
      expect((await job.get()).metadata?.uid).toBe(before.uid);
      await fixture.countersToBe({ failed: 0 });
    },
  },
  {
    name: 'pods beyond a quota: do not delay the deadline of the job',
    concern: 'engine',
    async play(fixture) {
      await fullQuota(fixture);
      const job = await fixture.job({ runPolicy: { activeDeadlineSeconds: 330 } });
      await replicaFailureToBe(job, 'exceeded quota');
      // Refused in each run, until the next try would be after the deadline.
      for (let tens = 0; tens < 33; tens++) {
        fixture.clock.advance(10_000);
        await job.status();
      }
      fixture.clock.advance(5000);
      await job.stateToBe('Failed');
      expect((await job.condition('Failed'))?.message).toContain('longer than specified deadline');
      await noHindranceToBe(job);
    },
  },
  {
    name: 'a template that the API server refuses: InvalidSpec with one event, not retried, and a corrected spec recovers',
    concern: 'ownedResources',
    async play(fixture) {
      const { containerName: name } = fixture.framework;
      const volumeMounts = [{ name: 'nowhere', mountPath: '/data' }];
      const containers = [{ name, image: 'registry.example/train:1', volumeMounts }];
      const job = await fixture.job({ podSpec: { containers } });
      await job.stateToBe('Failed');
      const failed = await job.condition('Failed');
      expect(failed?.reason).toBe('InvalidSpec');
      expect(failed?.message).toContain('nowhere');
      expect(await job.eventToBe('InvalidSpec')).toBe(1);
      const { resourceVersion } = (await job.get()).metadata ?? {};
      fixture.clock.advance(3_600_000);
      await fixture.settled();
      expect((await job.get()).metadata?.resourceVersion).toBe(resourceVersion);
      await fixture.restartOperator();
      await fixture.settled();
      expect(await job.events()).toMatchObject({ InvalidSpec: 1 });
      await job.change(job.workers, { podSpec: {} });
      await job.run();
      expect((await job.status()).completionTime).toBeUndefined();
      if (!job.isEndless) await job.succeed();
      await fixture.countersToBe({ failed: 1 });
    },
  },
  {
    name: 'a status that the API server refuses: emitted as one event, and written once it is accepted',
    concern: 'engine',
    starts: false,
    async play(fixture) {
      fixture.expectsErrors = true;
      const { group, version, plural } = fixture.resource;
      const job = await fixture.job();
      await requireLabel(fixture, {
        what: 'jobs',
        rule: {
          apiGroups: [group],
          apiVersions: [version],
          operations: ['UPDATE'],
          resources: [`${plural}/status`],
        },
        reason: 'Invalid',
        isMet: () => isLetThrough(() => job.patchStatus({ state: 'Created' }, { dryRun: true })),
      });
      await fixture.startOperator();
      await job.eventToBe('FailedUpdateStatus');
      const emitted = (await fixture.eventsAbout(job.name)).filter(({ reason }) => reason === 'FailedUpdateStatus');
      expect(emitted.map(({ note }) => note?.includes(`jobs need the label ${LABEL}`))).toEqual([true]);
      await job.patch({ metadata: { labels: { [LABEL]: 'yes' } } });
      await job.run();
    },
  },
  {
    name: 'in a terminating namespace: creates nothing, and emits and logs nothing',
    concern: 'ownedResources',
    async play(fixture) {
      const held = await fixture.job({ workers: 2 });
      await held.run();
      await fixture.stopOperators();
      await held.deletePod(held.workerPods[1] ?? '');
      // Deleted during the run that recreates the pod, between the status write and the pod. Later, the namespace
      // controller may have removed the reason to create it.
      const going = () => fixture.client.delete(NAMESPACES, { name: fixture.namespace });
      const proxy = await fixture.startOperatorBehindProxy((before) =>
        before.onWrite(1, going, { match: { method: 'PATCH', path: /\/status$/ } }),
      );
      await held.toBeGone(() => held.endTerminating());
      const refused = proxy.writes.filter(({ method, path, code }) => {
        return method === 'POST' && /\/(pods|secrets)$/.test(path) && code === 403;
      });
      expect(refused.length).toBeGreaterThan(0);
      const troubled = fixture.log.filter(({ level }) => level === 'error' || level === 'warn');
      expect(troubled).toEqual([]);
    },
  },
];
