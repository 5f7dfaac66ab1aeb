/** A kind that has no pods of its own: it owns objects, begins anew as a whole, and keeps things for a while after its end. */
import type { JobStatus, KubeObject, Resource } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB } from '../../test-support/plain-pod.ts';
import { SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter, Outcome } from '../contract/adapter.ts';
import type { AfterEnd } from '../contract/facets.ts';
import type { OwnedKind } from '../owned-resources/owned-resources.ts';
import { planJob } from './plan-job.ts';
import { operationsOf, plannedStatus } from './plan.ts';

const CLUSTERS: Resource = {
  group: 'test.muster.dev',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: true,
};
const KIND: OwnedKind = { resource: CLUSTERS, endsWithRun: true, trim: (object) => object };

interface Given {
  readonly outcome: Outcome;
  readonly status?: JobStatus;
  readonly afterEnd?: AfterEnd;
  readonly existing?: string;
}

const cluster = (name: string): KubeObject => ({ metadata: { name } });
const asDesired = (name: string) => ({ resource: CLUSTERS, object: cluster(name), change: () => undefined });

function pass({ outcome, status = {}, afterEnd, existing }: Given) {
  const adapter: FrameworkAdapter = {
    ...plainAdapter({ roles: [] }),
    network: undefined as never,
    outcome: () => outcome,
    ownedResources: {
      kinds: [KIND],
      desired: ({ status: { attempt = 0 } }) => [asDesired(`cluster-${attempt}`)],
      ...(afterEnd && { afterEnd: () => afterEnd }),
    },
  };
  const ownerReferences = [
    { apiVersion: 'test.muster.dev/v1', kind: 'PlainJob', name: JOB.name, uid: JOB.uid, controller: true },
  ];
  const owned =
    existing === undefined ? [] : [{ kind: KIND, object: { metadata: { name: existing, uid: 'u', ownerReferences } } }];
  const plan = planJob(adapter, { ...worldOf({ status }), services: [], ownedResources: owned }, SETTINGS);
  const named = (op: 'create' | 'delete') => operationsOf(plan, op).map(({ object }) => object.metadata?.name);
  const deletesJob = operationsOf(plan, 'deleteJob').length > 0;
  return { created: named('create'), deleted: named('delete'), status: plannedStatus(plan), deletesJob, plan };
}

const ENDED: JobStatus = {
  state: 'Succeeded',
  completionTime: '2030-01-01T00:00:00Z',
  conditions: [{ type: 'Succeeded', status: 'True', reason: 'PlainJobSucceeded' }],
};

describe('a job that begins anew', () => {
  it('is the next attempt, told and counted, and what it owned goes', () => {
    const { status, created, deleted, plan } = pass({
      outcome: { phase: 'Restarting', message: 'again' },
      existing: 'cluster-0',
    });
    expect(status).toMatchObject({ attempt: 1, restartCount: 1, state: 'Restarting' });
    expect([created, deleted]).toEqual([['cluster-1'], ['cluster-0']]);
    expect(operationsOf(plan, 'event').map(({ event }) => event.note)).toContain('again');
    expect(operationsOf(plan, 'status')[0]?.counters).toContain('restarted');
    expect(operationsOf(plan, 'status')[0]?.restartCauses).toEqual(['JobRetried']);
  });

  it('is no further attempt when that is not said again', () => {
    const { status = {} } = pass({ outcome: { phase: 'Restarting', message: 'again' } });
    const next = pass({ outcome: { phase: 'Pending' }, status, existing: 'cluster-1' });
    expect(next.status ?? status).toMatchObject({ attempt: 1, restartCount: 1 });
  });

  it('is looked at again when its time is over', () => {
    expect(pass({ outcome: { phase: 'Pending', recheckAfterMs: 1234 } }).plan.requeueAfterMs).toBe(1234);
  });
});

describe('a job that has ended', () => {
  it('loses what it does not keep', () => {
    const { deleted } = pass({ outcome: { phase: 'Pending' }, status: ENDED, existing: 'cluster-0' });
    expect(deleted).toEqual(['cluster-0']);
  });

  it('keeps what it says for as long as it says', () => {
    const afterEnd = { kept: [asDesired('cluster-0')], recheckAfterMs: 5000 };
    const { deleted, plan } = pass({ outcome: { phase: 'Pending' }, status: ENDED, existing: 'cluster-0', afterEnd });
    expect([deleted, plan.requeueAfterMs]).toEqual([[], 5000]);
  });

  it('goes when it says so', () => {
    const afterEnd = { kept: [], deletesJob: true };
    expect(pass({ outcome: { phase: 'Pending' }, status: ENDED, afterEnd }).deletesJob).toBe(true);
  });
});
