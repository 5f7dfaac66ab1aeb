/** With upstream's CRD the API server drops unknown status fields. Each case has its own API group. */
import { CUSTOM_RESOURCE_DEFINITIONS, ROLE_BINDINGS, ROLES, type Resource } from '@muster/job-api';
import { expect } from 'vitest';
import type { FaultProxy } from '@muster/fault-injection';
import { installCrd } from '../install-crd.ts';
import { upstreamCrd, UPSTREAM_STATUS } from '../upstream-crd.ts';
import type { ConformanceCase } from './conformance-case.ts';
import type { ConformanceFramework, ConformanceJob } from './conformance-framework.ts';
import { keptRecord } from './job-record.ts';
import { evicted, failed, running, succeeded } from './pod-report.ts';
import type { Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

/** The chart grants no rights to the group of this case. */
async function allow(fixture: Fixture, { group, plural }: Resource): Promise<void> {
  const metadata = { name: group, namespace: fixture.namespace };
  const resources = [plural, `${plural}/status`, `${plural}/finalizers`];
  await fixture.client.create(ROLES, { metadata, rules: [{ apiGroups: [group], resources, verbs: ['*'] }] });
  const { group: apiGroup } = ROLES;
  const subjects = [{ apiGroup, kind: 'Group', name: 'system:serviceaccounts' }];
  await fixture.client.create(ROLE_BINDINGS, {
    metadata,
    roleRef: { apiGroup, kind: ROLES.kind, name: group },
    subjects,
  });
}

async function withUpstreamCrd(fixture: Fixture): Promise<FaultProxy> {
  const { resource } = fixture.framework;
  const old: Resource<ConformanceJob> = { ...resource, group: `${fixture.namespace}.upstream.example` };
  const crd = upstreamCrd(old, { status: upstreamStatus(fixture.framework) });
  fixture.atEnd(() => fixture.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: crd.metadata?.name ?? '' }));
  await installCrd(fixture.client, crd);
  await allow(fixture, old);
  fixture.resource = old;
  return fixture.startOperatorBehindProxy();
}

/** The status fields of upstream: those of the kind, without the engine's record. */
function upstreamStatus({ crd, recordIn }: ConformanceFramework): object {
  if (recordIn === undefined) return UPSTREAM_STATUS;
  const own = crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.status;
  const { [recordIn]: _record, ...properties } = own?.properties ?? {};
  return { ...own, properties };
}

/** A job with a failed and an evicted worker, and a restart of the operator after each. */
async function restartedTwice(fixture: Fixture): Promise<TestJob> {
  await withUpstreamCrd(fixture);
  const { containerName } = fixture.framework;
  const job = await fixture.job({ restartPolicy: 'ExitCode', runPolicy: { backoffLimit: 1 } });
  await job.run();
  const [first = '', second = ''] = job.workerPods;
  for (const [pod, status] of [
    [first, failed(containerName, 137)],
    [second, evicted()],
  ] as const) {
    const uid = (await job.pod(pod)).metadata?.uid ?? '';
    await fixture.report(pod, status);
    await job.recreated(pod, uid);
    await fixture.report(pod, running(containerName));
    await job.run();
    await fixture.restartOperator();
  }
  return job;
}

export const upstreamSchemaCases: readonly ConformanceCase[] = [
  {
    name: 'counts of restarts and names of pods survive a restart of the operator, in an annotation',
    concern: 'ownedResources',
    also: ['kinds with unique names'],
    starts: false,
    async play(fixture) {
      const job = await restartedTwice(fixture);
      expect(keptRecord(await job.get())).toMatchObject({
        job: { restartCount: 1, disruptionCount: 1, state: 'Running' },
      });
      // A later operator cannot observe pods that are deleted while none runs.
      await fixture.stopOperators();
      for (const pod of job.workerPods) await job.deletePod(pod);
      await fixture.startOperator();
      await job.run();
      await fixture.restartOperator();
      const names = await job.createdPods();
      expect(names).toHaveLength(job.made.length + 2 * job.workers);
      if (fixture.framework.hasUniqueNames === true) expect(new Set(names).size).toBe(names.length);
      expect(keptRecord(await job.get()).job?.restartCount).toBe(1);
      await fixture.countersToBe({ created: 1, restarted: 2, failed: 0 });
      const warned = fixture.log.filter(({ level, message }) => level === 'warn' && message.includes('is not Muster'));
      expect(warned).toHaveLength(3);
    },
  },
  {
    name: 'limits of restarts hold over a restart of the operator',
    concern: 'ownedResources',
    starts: false,
    async play(fixture) {
      const job = await restartedTwice(fixture);
      const { status } = await job.get();
      expect(status).not.toHaveProperty('restartCount');
      await fixture.report(job.workerPods[0] ?? '', failed(fixture.framework.containerName, 137));
      await fixture.until(
        async () => (await job.conditions()).includes('Failed=True'),
        async () => ({ status: await job.status() }),
      );
      expect((await job.condition('Failed'))?.message).toContain('has reached the specified backoff limit');
      await fixture.countersToBe({ created: 1, restarted: 2, failed: 1 });
    },
  },
  {
    name: 'a status that fits into upstream fields is written alone, without a second write that changes nothing',
    concern: 'engine',
    starts: false,
    async play(fixture) {
      const proxy = await withUpstreamCrd(fixture);
      const { containerName, workerRole } = fixture.framework;
      const job = await fixture.job({ workers: 3 });
      await job.podsToBe(job.first);
      const [first = '', second = '', third = ''] = job.workerPods;
      const active = (count: number) =>
        job.statusToBe(`${count} active`, ({ replicaStatuses }) => replicaStatuses?.[workerRole]?.active === count);
      await fixture.report(first, running(containerName));
      await active(1);
      // Only upstream's own count shows a pod that runs and is not ready.
      await fixture.report(second, { ...running(containerName), conditions: [{ type: 'Ready', status: 'False' }] });
      await active(2);
      await fixture.report(third, running(containerName));
      await active(3);
      const written = proxy.writes
        .filter(({ path, method }) => path.includes(`/${job.name}`) && method === 'PATCH')
        .map(({ path, version }) => `${path.split('/').slice(6).join('/')} is version ${version}`);
      expect(written).toEqual([...new Set(written)]);
    },
  },
  {
    name: 'a replica that succeeded is not run again, and a finished job does not change',
    concern: 'engine',
    also: ['kinds that own jobs'],
    starts: false,
    async play(fixture) {
      await withUpstreamCrd(fixture);
      const job = await fixture.job();
      await job.run();
      const done = job.deciding.at(-1) ?? '';
      await fixture.report(done, succeeded(fixture.framework.containerName));
      await fixture.until(
        async () => {
          const { replicaStatuses = {} } = await job.status();
          const hasEnded = job.ownsNoPods && (await job.conditions()).includes('Succeeded=True');
          return hasEnded || Object.values(replicaStatuses).some((role) => (role.succeeded ?? 0) > 0);
        },
        async () => ({ status: await job.status() }),
      );
      await fixture.settled();
      await job.deletePod(done);
      await fixture.restartOperator();
      await fixture.settled();
      // If it was the only deciding pod, the job has ended.
      const left = job.deciding.length === 1 ? job.lasting : job.pods;
      await job.podsToBe(left.filter((pod) => pod !== done));
      const others = job.deciding.filter((pod) => pod !== done);
      await Promise.all(others.map((pod) => fixture.report(pod, succeeded(fixture.framework.containerName))));
      await fixture.until(async () => (await job.conditions()).includes('Succeeded=True'), 'the job succeeds');
      await fixture.restartOperator();
      await fixture.settled();
      await fixture.countersToBe({ successful: 1 });
    },
  },
  {
    name: 'an invalid size, which no validation rule has checked, changes nothing and is reported; a valid one is applied',
    concern: 'roles',
    starts: false,
    async play(fixture) {
      await withUpstreamCrd(fixture);
      const job = await fixture.job({ isResized: true });
      await job.run();
      const before = await job.uids();
      for (const [size, message] of [
        [-3, 'must be at least'],
        [2_000_000_000, 'must be at most'],
      ] as const) {
        await job.change(size);
        await fixture.until(
          async () => (await job.condition('Running'))?.message?.includes(message),
          async () => ({ expected: `"${message}" in the condition Running`, status: await job.status() }),
        );
      }
      expect(await job.eventToBe('InvalidChange')).toBeGreaterThan(0);
      await fixture.restartOperator();
      await fixture.settled();
      expect(await job.uids()).toEqual(before);
      await job.change(3);
      const workers = fixture.framework.podNames(job.name, 3).slice(-3);
      await job.podsToBe([...job.pods.slice(0, -job.workers), ...workers]);
      await fixture.reportRunning(workers.slice(-1));
      await fixture.until(
        async () => !(await job.condition('Running'))?.message?.includes('not applied'),
        async () => ({ expected: 'the message is removed', status: await job.status() }),
      );
    },
  },
];
