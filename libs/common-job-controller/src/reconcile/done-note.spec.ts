import { PODS, ROLE_BINDINGS, ROLES, SERVICES, type Resource } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { WORKLOAD_KINDS } from '../workloads/workloads.ts';
import { doneEvents, type Done } from './done-note.ts';

const { resource: BATCH_JOBS } = WORKLOAD_KINDS.Job;

const workers = (count: number) => Array.from({ length: count }, (_pod, index) => `mnist-worker-${index}`);

function doneNote(verb: Done['verb'], objects: readonly Omit<Done, 'verb'>[]): string {
  return notes(...objects.map((each) => ({ verb, ...each }))).join();
}

function notes(...done: readonly Done[]): string[] {
  return doneEvents(done).map(({ note }) => note);
}

describe('the note of an event', () => {
  it.each([
    ['one pod', doneNote('Create', [{ resource: PODS, names: ['mnist-worker-0'] }]), 'Created pod: mnist-worker-0'],
    ['one Service', doneNote('Delete', [{ resource: SERVICES, names: ['mnist'] }]), 'Deleted service: mnist'],
    [
      'several',
      doneNote('Adopt', [{ resource: PODS, names: workers(2) }]),
      'Adopted 2 pods: mnist-worker-0, mnist-worker-1',
    ],
    [
      'several objects, sorted by number',
      doneNote('Create', [{ resource: PODS, names: ['a-worker-10', 'a-worker-2', 'a-master-0'] }]),
      'Created 3 pods: a-master-0, a-worker-2, a-worker-10',
    ],
    [
      'all of ten names',
      doneNote('Create', [{ resource: PODS, names: workers(10) }]),
      `Created 10 pods: ${workers(10).join(', ')}`,
    ],
    [
      'the first ten of more names',
      doneNote('Create', [{ resource: PODS, names: workers(12) }]),
      `Created 12 pods: ${workers(10).join(', ')} and 2 more`,
    ],
  ])('lists %s', (_what, note, text) => {
    expect(note).toBe(text);
  });

  it('fits into an event, whatever the number and length of the names', () => {
    const names = Array.from({ length: 100_000 }, (_pod, index) => `${index}`.padStart(63, 'x'));
    const things = [PODS, SERVICES].map((resource) => ({ resource, names }));
    expect(Buffer.byteLength(doneNote('Create', things))).toBeLessThan(1024);
  });
});

describe('doneEvents', () => {
  const services: Done = { verb: 'Create', resource: SERVICES, names: ['mnist', 'mnist-worker-0'] };
  const pods: Done = { verb: 'Create', resource: PODS, names: workers(2) };

  it('reports Services with the pods that were created with them', () => {
    expect(notes(services, pods)).toEqual([
      'Created 2 pods: mnist-worker-0, mnist-worker-1; 2 services: mnist, mnist-worker-0',
    ]);
  });

  it('reports Services separately if pods had no write of the same verb', () => {
    const deleted: Done = { verb: 'Delete', resource: SERVICES, names: ['mnist'] };
    expect(notes(deleted, pods)).toEqual(['Deleted service: mnist', 'Created 2 pods: mnist-worker-0, mnist-worker-1']);
  });

  it('reports a Job separately, and all other objects with pods', () => {
    const made = (resource: Resource, name: string): Done => ({ verb: 'Create', resource, names: [name] });
    const [job, role, binding] = [made(BATCH_JOBS, 'pi-launcher'), made(ROLES, 'pi'), made(ROLE_BINDINGS, 'pi')];
    expect(notes(role, job, pods)).toEqual([
      'Created 2 pods: mnist-worker-0, mnist-worker-1; role: pi',
      'Created job: pi-launcher',
    ]);
    expect(notes(role, job, binding)).toEqual(['Created job: pi-launcher; role: pi; rolebinding: pi']);
    expect(notes(role, binding)).toEqual(['Created role: pi; rolebinding: pi']);
  });
});
