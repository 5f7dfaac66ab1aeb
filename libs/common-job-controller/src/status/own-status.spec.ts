import { ANNOTATIONS, type JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import { statusAfter } from '../../test-support/plain-world.ts';
import type { JobManifest } from '../model/training-job.ts';
import { isStripped, ownStatusOf, recorded } from './own-status.ts';

function stripped({ conditions, replicaStatuses, startTime, completionTime }: JobStatus): JobStatus {
  const roles = Object.entries(replicaStatuses ?? {}).map(([role, { active, succeeded, failed, selector }]) => [
    role,
    { active, succeeded, failed, selector },
  ]);
  return JSON.parse(
    JSON.stringify({ conditions, replicaStatuses: Object.fromEntries(roles) as object, startTime, completionTime }),
  ) as JobStatus;
}

function manifest(annotation: string | undefined, status?: JobStatus): JobManifest {
  const annotations = annotation === undefined ? {} : { [ANNOTATIONS.status]: annotation };
  return { metadata: { name: 'job', annotations }, ...(status && { status }) };
}

const pods: PlainPod[] = [
  { index: 0, phase: 'Succeeded' },
  { index: 2, restarts: 3 },
  { index: 3, phase: 'Failed', exit: 137 },
];
const annotations = { [ANNOTATIONS.scaleDownPods]: 'job-worker-1' };
const whole = statusAfter(
  { workers: 4, pods: [...pods, { index: 1 }], annotations },
  { workers: 3, pods: [...pods, { index: 1 }], annotations, writesSelector: true },
);

describe('ownStatusOf and recorded', () => {
  it('restore what the other definition drops', () => {
    expect(whole).toMatchObject({
      restartCount: 4,
      replicaStatuses: { Worker: { succeededIndexes: '0', indexes: '0,2-3' } },
    });
    expect(isStripped({}, whole)).toBe(false);
    const stored = stripped(whole);
    expect(isStripped({}, stored)).toBe(true);
    expect(stored).not.toEqual(whole);
    expect(recorded({}, manifest(ownStatusOf({}, whole), stored)).status).toEqual(whole);
  });

  it('restore the attempt', () => {
    const scopes = { Worker: 'Role' } as const;
    const worker = statusAfter({ scopes, pods: [{ phase: 'Failed', exit: 1 }] });
    const attempted = { ...worker, attempt: 2 };
    expect(attempted.replicaStatuses?.['Worker']).toEqual({ attempt: 1 });
    expect(recorded({}, manifest(ownStatusOf({}, attempted), stripped(attempted))).status).toEqual(attempted);
  });

  it('leave out of the annotation what the other definition keeps', () => {
    const own = ownStatusOf({}, { ...whole, completionTime: at(0), lastReconcileTime: at(0) });
    expect(Object.keys((JSON.parse(own) as { job: object }).job).sort()).toEqual(
      ['firstFailure', 'observedGeneration', 'ready', 'restartCount', 'restarts', 'state', 'timeAccounts'].sort(),
    );
    expect(own).not.toContain('selector');
    expect(ownStatusOf({}, { state: 'Created', replicaStatuses: { Worker: { active: 1 } } })).toBe(
      '{"job":{"state":"Created"}}',
    );
  });

  it('restore fields of a single kind', () => {
    const status = { state: 'Running', workerReplicas: 2 } as JobStatus;
    expect(recorded({}, manifest(ownStatusOf({}, status), stripped(status))).status).toMatchObject(status);
  });

  it.each<[string, string | undefined, JobStatus | undefined]>([
    ['a status that was not stripped, since it is newer', '{"job":{"restartCount":9}}', { state: 'Running' }],
    ['a job without a status', '{"job":{"restartCount":9}}', undefined],
    ['a job without the annotation', undefined, { startTime: at(0) }],
  ])('do not change %s', (_case, annotation, status) => {
    const before = manifest(annotation, status);
    expect(recorded({}, before)).toEqual(before);
  });

  it('prefer the status to the annotation', () => {
    const annotation = JSON.stringify({ job: { startTime: at(-9) }, roles: { Worker: { active: 5, indexes: '1' } } });
    const status = recorded(
      {},
      manifest(annotation, { startTime: at(0), replicaStatuses: { Worker: { active: 1 } } }),
    ).status;
    expect(status).toEqual({ startTime: at(0), replicaStatuses: { Worker: { active: 1, indexes: '1' } } });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"job":'],
    ['a number', '7'],
    ['null', 'null'],
    ['a list', '[1]'],
    ['roles that are null', '{"roles":null}'],
    ['roles that are a string', '{"roles":"Worker"}'],
    ['a role that is null', '{"roles":{"Worker":null}}'],
    ['a job that is null', '{"job":null}'],
    ['a job that is a list', '{"job":["mine"]}'],
    ['a job that is a string', '{"job":"mine"}'],
    ['a list of restarts that is a string', '{"job":{"restarts":"many"}}'],
    ['a negative count', '{"job":{"restartCount":-1}}'],
  ])('ignore an annotation that is %s', (_case, annotation) => {
    const status = { startTime: at(0), replicaStatuses: { Worker: { active: 1 } } };
    expect(recorded({}, manifest(annotation, status)).status).toEqual(status);
  });
});
