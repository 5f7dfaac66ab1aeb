import { describe, expect, it } from 'vitest';
import { WrittenHistory } from '../../test-support/written-history.ts';
import type { StoredObject } from '../history/history.ts';
import { noMorePodsThanReplicas } from './no-more-pods-than-replicas.ts';
import { oneClusterPerAttempt } from './one-cluster-per-attempt.ts';
import { oneLivePodPerReplica } from './one-live-pod-per-replica.ts';
import { oneRunPerScheduleTime } from './one-run-per-schedule-time.ts';
import { rayEndsAreTrue } from './ray-ends-are-true.ts';
import { serviceKeepsItsCluster } from './service-keeps-its-cluster.ts';
import { waitingIsExplained } from './waiting-is-explained.ts';

const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const RUNS = { jobDeploymentStatus: 'Running', jobStatus: 'RUNNING' };
const STARTS = { jobDeploymentStatus: 'Initializing' };

class RayHistory extends WrittenHistory {
  owner(kind: string, more: object = {}): this {
    const place = { resource: `${kind.toLowerCase()}s.ray.io`, name: 'train', uid: 'owner' };
    return this.put(place, { kind, ...more });
  }

  /** An object that the owner controls. */
  child(kind: string, name: string, more: { metadata?: object; spec?: object; status?: object } = {}): this {
    const metadata = { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: 'owner', controller: true }] };
    const object = { kind, ...more, metadata: { ...metadata, ...more.metadata } } as StoredObject;
    return this.put({ resource: kind === 'Pod' ? 'pods' : `${kind.toLowerCase()}s.ray.io`, name, uid: name }, object);
  }

  rayPod(type: 'head' | 'worker', name: string, metadata: object = {}): this {
    const labels = { 'ray.io/node-type': type, 'ray.io/group': type === 'head' ? 'headgroup' : 'small' };
    return this.child('Pod', name, { metadata: { labels, ...metadata }, status: { phase: 'Running' } });
  }
}

const cluster = (replicas = 1) =>
  new RayHistory().owner('RayCluster', {
    spec: { headGroupSpec: {}, workerGroupSpecs: [{ groupName: 'small', replicas, numOfHosts: 2 }] },
  });

describe('the pods of a RayCluster', () => {
  it('may be recreated while a worker terminates, but not while the head does', () => {
    const replaced = (type: 'head' | 'worker') =>
      cluster().rayPod(type, 'first').rayPod(type, 'first', DELETED).rayPod(type, 'second');
    expect(replaced('worker').violations(oneLivePodPerReplica)).toEqual([]);
    expect(replaced('head').violations(oneLivePodPerReplica)).toHaveLength(1);
  });

  it('are at most one for each host of each replica', () => {
    const full = () => cluster().rayPod('worker', 'a').rayPod('worker', 'b');
    expect(full().violations(noMorePodsThanReplicas)).toEqual([]);
    expect(full().rayPod('worker', 'c').violations(noMorePodsThanReplicas)).toHaveLength(1);
  });
});

describe('one-cluster-per-attempt', () => {
  const clusters = (kind: string, ...names: readonly string[]) =>
    names.reduce((history, name) => history.child('RayCluster', name), new RayHistory().owner(kind));

  it('holds for one cluster of a RayJob, two of a RayService, and a successor of a deleted one', () => {
    const replaced = clusters('RayJob', 'a').child('RayCluster', 'a', { metadata: DELETED }).child('RayCluster', 'b');
    const histories = [clusters('RayJob', 'a'), clusters('RayService', 'a', 'b'), replaced];
    expect(histories.flatMap((history) => history.violations(oneClusterPerAttempt))).toEqual([]);
  });

  it.each([clusters('RayJob', 'a', 'b'), clusters('RayService', 'a', 'b', 'c')])('is violated by one more', (history) =>
    expect(history.violations(oneClusterPerAttempt)).toHaveLength(1),
  );
});

describe('one-run-per-schedule-time', () => {
  const run = (history: RayHistory, name: string, minute: number, status: object = {}) =>
    history.child('RayJob', name, {
      metadata: { annotations: { 'ray.io/cronjob-scheduled-timestamp': `2026-01-01T00:0${minute}:00Z` } },
      status,
    });
  const ended = { muster: { conditions: [{ type: 'Succeeded', status: 'True', reason: 'RayJobSucceeded' }] } };
  const cronJob = (concurrencyPolicy: string, status: object = {}) =>
    run(new RayHistory().owner('RayCronJob', { spec: { concurrencyPolicy } }), 'first', 1, status);

  it('holds for runs of different times, with Forbid after the earlier ones have ended', () => {
    const cronJobPlace = { resource: 'raycronjobs.ray.io', name: 'train', uid: 'owner' };
    const histories = [
      run(cronJob('Allow'), 'second', 2),
      run(cronJob('Forbid', ended), 'second', 2),
      run(cronJob('Allow').remove(cronJobPlace), 'second', 1),
    ];
    expect(histories.flatMap((history) => history.violations(oneRunPerScheduleTime))).toEqual([]);
  });

  it.each([
    ['two runs of a time', run(cronJob('Allow'), 'second', 1)],
    ['a forbidden run', run(cronJob('Forbid'), 'second', 2)],
  ])('is violated by %s', (_what, history) => expect(history.violations(oneRunPerScheduleTime)).toHaveLength(1));
});

describe('ray-ends-are-true', () => {
  const succeeded = () =>
    new RayHistory().owner('RayJob').owner('RayJob', { status: { jobStatus: 'SUCCEEDED', jobId: 'train-1' } });
  const run = { namespace: 'team', jobId: 'train-1', succeeds: true, endMs: 500 };

  it('holds after Ray has finished the job', () => {
    expect(succeeded().violations(rayEndsAreTrue, { rayRuns: [run] })).toEqual([]);
  });

  it.each([
    ['no such job', []],
    ['a job that failed', [{ ...run, succeeds: false }]],
    ['a job that ends later', [{ ...run, endMs: 9_000 }]],
  ])('is violated by %s', (_what, rayRuns) => {
    expect(succeeded().violations(rayEndsAreTrue, { rayRuns })).toHaveLength(1);
  });
});

describe('service-keeps-its-cluster', () => {
  const deleted = (active: string, spec: object = {}) =>
    new RayHistory()
      .owner('RayService', { spec, status: { activeServiceStatus: { rayClusterName: active } } })
      .child('RayCluster', 'old')
      .sent('ray/a', 'DELETE', '/apis/ray.io/v1/namespaces/team/rayclusters/old')
      .child('RayCluster', 'old', { metadata: DELETED });

  it('holds if another cluster is active, or the service is suspended', () => {
    const histories = [deleted('new'), deleted('old', { suspend: true })];
    expect(histories.flatMap((history) => history.violations(serviceKeepsItsCluster))).toEqual([]);
  });

  it('is violated by the deletion of the active cluster', () => {
    expect(deleted('old').violations(serviceKeepsItsCluster)).toHaveLength(1);
  });
});

describe('waiting-is-explained', () => {
  const service = (message: string, status = 'False') =>
    new RayHistory().owner('RayService', { status: { conditions: [{ type: 'Ready', status, message }] } });

  it.each([
    ['holds for a RayJob that Ray runs', new RayHistory().owner('RayJob', { status: RUNS }), 0],
    ['is violated by a RayJob that is not started', new RayHistory().owner('RayJob', { status: STARTS }), 1],
    ['holds for a ready RayService', service('', 'True'), 0],
    ['holds for a RayService that names a broken application', service('application a is DEPLOY_FAILED'), 0],
    ['is violated by a RayService that is not ready', service('The first cluster is being prepared'), 1],
  ])('%s', (_what, history, count) => expect(history.violations(waitingIsExplained)).toHaveLength(count));
});
