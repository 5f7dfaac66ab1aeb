import { LABELS, type ObjectMeta, type Pod, type Service } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB, NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { planned } from '../../test-support/planned.ts';
import { trimPod, trimService } from './trim.ts';

const ownerReferences = [
  {
    apiVersion: 'test.muster.dev/v1',
    kind: 'PlainJob',
    name: 'job',
    uid: JOB.uid,
    controller: true,
    blockOwnerDeletion: true,
  },
];

function fullPod(index: number, phase: string, exitCode?: number): Pod {
  const state =
    exitCode === undefined
      ? { running: { startedAt: '2030-01-01T00:00:00Z' } }
      : {
          terminated: { exitCode, reason: 'Error', message: 'out of luck', finishedAt: `2030-01-01T00:00:0${index}Z` },
        };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `job-worker-${index}`,
      namespace: 'team',
      uid: `uid-${index}`,
      resourceVersion: `${100 + index}`,
      creationTimestamp: '2030-01-01T00:00:00Z',
      annotations: { 'example.com/long': 'x'.repeat(5000) },
      labels: {
        ...plainAdapter({}).labels.ofJob('job'),
        [LABELS.replicaType]: 'worker',
        [LABELS.replicaIndex]: String(index),
      },
      ownerReferences,
      managedFields: [{ manager: 'kubelet', operation: 'Update' }],
    },
    spec: {
      subdomain: 'job',
      hostname: `job-worker-${index}`,
      nodeName: 'node-1',
      containers: [{ name: 'main', image: 'registry.example/main:1', env: [{ name: 'A', value: 'x'.repeat(5000) }] }],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
    status: {
      phase,
      hostIP: '192.0.2.1',
      podIP: '192.0.2.2',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', message: 'm' },
      ],
      containerStatuses: [
        { name: 'main', image: 'i', imageID: 'd', ready: true, restartCount: 2, state, containerID: 'containerd://0' },
      ],
    },
  };
}

const service: Service = {
  metadata: { name: 'job', namespace: 'team', uid: 's', labels: { [LABELS.jobName]: 'job' }, ownerReferences },
  spec: { clusterIP: 'None', ports: [{ port: 1 }] },
};

function planOf(pods: Pod[], services: Service[]) {
  const world = { ...worldOf({ workers: 4, services }), pods };
  const plan = planned(planJob(plainAdapter({ workers: 4 }), world, SETTINGS));
  return { ...plan, remove: { pods: namesOf(plan.remove.pods), services: namesOf(plan.remove.services) } };
}

describe('trimPod and trimService', () => {
  it.each([
    { name: 'running and missing', pods: [fullPod(0, 'Running'), fullPod(1, 'Pending')] },
    { name: 'to be restarted', pods: [fullPod(0, 'Running'), fullPod(1, 'Failed', 137)] },
    { name: 'failed for good', pods: [fullPod(0, 'Running'), fullPod(1, 'Failed', 3), fullPod(2, 'Failed', 4)] },
    { name: 'succeeded', pods: [0, 1, 2, 3].map((index) => fullPod(index, 'Succeeded', 0)) },
    { name: 'one too many', pods: [fullPod(7, 'Running')] },
    {
      name: 'succeeded before its deletion',
      pods: [plainPod({ phase: 'Succeeded', exit: 0, ended: -9, deleted: -5 })],
    },
    { name: 'succeeded after its deletion', pods: [plainPod({ phase: 'Succeeded', exit: 0, ended: -2, deleted: -5 })] },
    {
      name: 'succeeded after its kubelet observed the deletion',
      pods: [plainPod({ phase: 'Succeeded', exit: 0, ended: -11, deleted: -10, grace: 0, knowsDeletion: true })],
    },
    { name: 'refused', pods: [plainPod({ phase: 'Failed', reason: 'OutOfcpu' })] },
    { name: 'evicted', pods: [plainPod({ phase: 'Failed', reason: 'Evicted' })] },
    { name: 'not placed', pods: [plainPod({ phase: 'Pending', unplaced: '0/3 nodes are available' })] },
    { name: 'preempted', pods: [plainPod({ phase: 'Failed', exit: 1, disrupted: true })] },
    { name: 'failed once more', pods: [plainPod({ phase: 'Failed', exit: 137, failures: 3 })] },
    { name: 'kept up by a sidecar', pods: [plainPod({ phase: 'Running', exit: 1 })] },
    {
      name: 'restarted beside a sidecar that was as well',
      pods: [plainPod({ restarts: 2, initRestarts: 1, sidecarRestarts: 5 })],
    },
  ])('keep all fields that planning reads: $name', ({ pods }) => {
    const trimmed = pods.map((pod) => trimPod(pod));
    expect(planOf(trimmed, [trimService(service)])).toEqual(planOf(pods, [service]));
  });

  it('keep whether a Service has a selector', () => {
    const pods = [0, 1, 2, 3].map((index) => fullPod(index, 'Running'));
    const selecting: Service = { ...service, spec: { ...service.spec, selector: { [LABELS.jobName]: 'job' } } };
    const slicesOf = (each: Service) =>
      planOf(pods, [each]).ownedResources.create.filter(({ object }) => object.kind === 'EndpointSlice').length;
    expect([slicesOf(service), slicesOf(selecting)]).toEqual([1, 0]);
    expect([slicesOf(trimService(service)), slicesOf(trimService(selecting))]).toEqual([1, 0]);
  });

  it.each<[string, readonly PlainPod[]]>([
    ['after a failure', [{ restarter: true }, { index: 1, restarter: true, exit: 137, ended: -5 }]],
    ['during the restart', [{ attempt: 1, restarter: `1/0/${NOW / 1000 - 5}` }]],
    ['after the restart', [{ attempt: 1, restarter: `1/0/${NOW / 1000 - 5}`, restarts: 1, exitBefore: 137 }]],
    ['after the program succeeded', [{ restarter: true, exit: 0 }]],
    ['after the restarter was ended', [{ restarter: 'ended', exit: 0 }]],
  ])('keep what is read from pods that restart in place: %s', (_when, shapes) => {
    const pods = shapes.map(plainPod);
    const runPolicy = { failurePolicy: { rules: [{ action: 'RestartJob' as const, inPlace: true }] } };
    const plan = (seen: readonly Pod[]) =>
      planned(planJob(plainAdapter({ workers: 2 }), { ...worldOf({ runPolicy }), pods: seen }, SETTINGS));
    const [whole, trimmed] = [plan(pods), plan(pods.map((pod) => trimPod(pod)))];
    const decided = ({ annotate, status, remove }: typeof whole) => ({
      annotations: annotate.map(({ annotations, labels }) => ({ annotations, labels })),
      status,
      removed: namesOf(remove.pods),
    });
    expect(decided(trimmed)).toEqual(decided(whole));
  });

  it('keep the annotations of a framework with any key', () => {
    const adapter: FrameworkAdapter = {
      ...plainAdapter({ workers: 1 }),
      podAnnotations: {
        'example.com/one': { value: () => '1' },
        'example.com/two': { value: () => '2' },
        'example.com/none': { value: () => undefined },
      },
    };
    const given = { 'example.com/one': '1', 'example.com/two': '2' };
    const pod = fullPod(0, 'Running');
    const annotated = {
      ...pod,
      metadata: { ...pod.metadata, annotations: { ...pod.metadata?.annotations, ...given } },
    };
    const annotate = (each: Pod) => {
      const trimmed = trimPod(each, Object.keys(adapter.podAnnotations ?? {}));
      return planned(planJob(adapter, { ...worldOf({ workers: 1 }), pods: [trimmed] }, SETTINGS)).annotate;
    };
    expect(annotate(pod).map(({ annotations }) => annotations)).toEqual([given]);
    expect(annotate(annotated)).toEqual([]);
  });

  it('keep the identity, version and owner of the metadata', () => {
    const { annotations: _annotations, managedFields: _fields, ...read } = fullPod(0, 'Running').metadata ?? {};
    expect(trimPod(fullPod(0, 'Running')).metadata).toStrictEqual(read);
    expect(trimPod({}).metadata).toStrictEqual({});
  });

  it.each<[string, ObjectMeta]>([
    ['is being deleted', { deletionTimestamp: '2030-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 }],
    [
      'is being deleted without grace period',
      { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
    ],
    [
      'is being deleted by an API server with pod generations',
      { deletionTimestamp: '2030-01-01T00:00:00Z', generation: 2 },
    ],
  ])('keep the deletion of a pod that %s', (_how, metadata) => {
    expect(trimPod({ metadata }).metadata).toStrictEqual(metadata);
  });

  it('keep about one kilobyte', () => {
    expect(JSON.stringify(trimPod(fullPod(0, 'Running'))).length).toBeLessThan(1200);
  });
});
