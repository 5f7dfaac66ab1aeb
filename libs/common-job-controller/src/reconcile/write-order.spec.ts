import { LEASES, PODS, SERVICES, type KubeObject, type Resource } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { WORKLOAD_KINDS } from '../workloads/workloads.ts';
import { batchesOf, inOrder } from './write-order.ts';
import type { Write } from '../model/write.ts';

const JOBS: Resource = WORKLOAD_KINDS.Job.resource;
const event = { type: 'Normal', reason: 'Test', note: 'a note', action: 'Test' } as const;
const object: KubeObject = { metadata: { name: 'x' } };
const pod = { resource: PODS, object };
const service = { resource: SERVICES, object };
const owned = { resource: LEASES, object, isOwnedResource: true };
const workload = { resource: JOBS, object, isOwnedResource: true };

/** In the order of execution. Writes in one row may run in parallel. */
const PHASES: readonly (readonly [Write, ...Write[]])[] = [
  [{ op: 'adopt', ...pod }],
  [{ op: 'adopt', ...service }],
  [{ op: 'release', ...pod }],
  [
    { op: 'delete', ...pod, asSeen: true },
    { op: 'delete', ...pod },
  ],
  [{ op: 'forceDelete', ...pod, event }],
  [{ op: 'delete', ...service }],
  [{ op: 'ensure', ...owned, complete: (whole) => whole, serves: () => true }],
  [
    { op: 'delete', ...owned },
    { op: 'delete', ...workload },
  ],
  [
    { op: 'create', ...owned },
    { op: 'create', ...service, isOwnedResource: true },
  ],
  [
    { op: 'patch', ...owned, patch: {} },
    { op: 'patch', ...workload, patch: {} },
  ],
  [{ op: 'create', ...service }],
  [{ op: 'create', ...workload }],
  [
    { op: 'create', ...pod },
    { op: 'create', ...pod },
  ],
  [{ op: 'annotate', ...pod, annotations: {} }],
  [{ op: 'deleteJob' }],
];

describe('inOrder', () => {
  it('sorts adoptions first and the deletion of the job last', () => {
    expect(inOrder(PHASES.toReversed().flat())).toEqual(PHASES.flat());
  });

  it('keeps the order of writes within a phase', () => {
    const creates = ['b', 'a', 'c'].map(
      (name) => ({ op: 'create', resource: PODS, object: { metadata: { name } } }) as const,
    );
    expect(inOrder([{ op: 'deleteJob' }, ...creates])).toEqual([...creates, { op: 'deleteJob' }]);
  });
});

describe('batchesOf', () => {
  it('batches exactly the writes of one phase', () => {
    expect(batchesOf(PHASES.flat())).toEqual(PHASES);
    expect(batchesOf([])).toEqual([]);
  });
});
