import { PODS, type JobStatus } from '@muster/job-api';
import { JOBS, PER_JOB } from '@muster/metrics';
import { expect } from 'vitest';
import { undeclared } from '../exported-metrics.ts';
import type { ConformanceJob } from './conformance-framework.ts';
import { keptRecord, withRecord } from './job-record.ts';
import type { Fixture } from './fixture.ts';

/** The gauges of jobs and pods equal the state of the API server, per job as well. */
export async function gaugesToAgree(fixture: Fixture): Promise<void> {
  let seen: object = {};
  await fixture.until(
    async () => {
      const { client, namespace, labelSelector, metrics } = fixture;
      const [jobs, pods] = await Promise.all([
        countedJobs(fixture),
        client.list(PODS, { namespace, labelSelector }).then(({ items }) => items),
      ]);
      const shown = await metrics.gauge(JOBS.jobs, 'state');
      const states = tally(withFailing(jobs, shown['Failing'] ?? 0));
      const waiting = await metrics.gauge(JOBS.waiting, 'reason');
      const expected = {
        states,
        pods: tally(pods.map(({ status }) => status?.phase ?? 'Pending')),
        jobs: tally(jobs.map(({ metadata }) => metadata?.name ?? '')),
        stateOfEach: states,
        waitingOfEach: waiting,
      };
      const gauges = {
        states: shown,
        pods: await metrics.gauge(JOBS.pods, 'phase'),
        jobs: await metrics.gauge(PER_JOB.info, 'job_name'),
        stateOfEach: withoutZeros(await metrics.gauge(PER_JOB.state, 'state')),
        waitingOfEach: await metrics.gauge(PER_JOB.waiting, 'reason'),
      };
      seen = { expected, gauges };
      expect(gauges).toEqual(expected);
      return true;
    },
    () => ({ 'gauges equal to the state of the API server': seen }),
  );
}

/** Called after the operators have stopped: all metrics are as declared, and each restart has a cause. */
export async function metricsToBeInOrder({ metrics }: Fixture): Promise<void> {
  for (const text of await metrics.texts()) expect(undeclared(text)).toEqual([]);
  expect(await metrics.total(JOBS.restarts)).toBe(await metrics.total(JOBS.restarted));
}

/** Includes owned jobs. */
async function countedJobs(fixture: Fixture): Promise<ConformanceJob[]> {
  const { recordIn, ownedJobs } = fixture.framework;
  const kinds = [{ resource: fixture.resource, recordIn }, ...(ownedJobs === undefined ? [] : [ownedJobs])];
  const lists = kinds.map(async (kind) =>
    (await fixture.list(kind.resource)).map((job) => withRecord(job, kind.recordIn)),
  );
  return (await Promise.all(lists)).flat();
}

/** With upstream's CRD the state is in the annotation. */
function stateOf(job: ConformanceJob): string {
  return job.status?.state ?? keptRecord(job).job?.state ?? 'New';
}

/** The expected states if that many jobs count as Failing, which only running jobs with a failure can. */
function withFailing(jobs: readonly ConformanceJob[], failing: number): string[] {
  let left = failing;
  return jobs.map((job) => (canBeFailing(job) && left-- > 0 ? 'Failing' : stateOf(job)));
}

function canBeFailing(job: ConformanceJob): boolean {
  const { restartCount = 0, restarts = [], firstFailure }: JobStatus = { ...keptRecord(job).job, ...job.status };
  const hasFailed = restartCount > 0 || restarts.length > 0 || firstFailure !== undefined;
  return hasFailed && ['Created', 'Running', 'Restarting'].includes(stateOf(job));
}

function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
