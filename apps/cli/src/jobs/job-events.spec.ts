import type { Event } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { eventLine } from '../commands/events.ts';
import { KINDS } from '../kinds.ts';
import type { FoundJob } from './find-job.ts';
import { isAbout } from './job-events.ts';

function found(kindName: string, name: string, more: object = {}): FoundJob {
  const kind = KINDS.find(({ definition }) => definition.resource.kind === kindName);
  if (kind === undefined) throw new Error(`no kind ${kindName}`);
  const metadata = { name, namespace: 'team', uid: 'job', creationTimestamp: '2026-01-01T00:00:00Z' };
  const manifest = { kind: kindName, metadata, spec: { pytorchReplicaSpecs: { Master: {}, Worker: {} } }, ...more };
  return { kind, resource: kind.definition.resource, manifest, name, namespace: 'team' };
}

const event = (kind: string, name: string, uid = 'other', more: Partial<Event> = {}): Event => ({
  ...{ regarding: { kind, name, uid }, eventTime: '2026-01-01T00:00:05.000000Z', ...more },
});

describe('an event', () => {
  const job = found('PyTorchJob', 'mnist');
  const pods = [{ metadata: { name: 'renamed', uid: 'pod' } }];
  it.each<[string, FoundJob, Event, boolean]>([
    ['of the job', job, event('PyTorchJob', 'mnist', 'job'), true],
    ['of an existing pod', job, event('Pod', 'renamed', 'pod'), true],
    ['of a deleted pod', job, event('Pod', 'mnist-worker-12'), true],
    ['of a pod created by a Job', found('MPIJob', 'mnist'), event('Pod', 'mnist-launcher-x2x4z'), true],
    ['of its pod group', job, event('PodGroup', 'mnist'), true],
    ['of the Job of its launcher', found('MPIJob', 'mnist'), event('Job', 'mnist-launcher'), true],
    [
      'of a pod of the cluster of a RayJob',
      found('RayJob', 'mnist', { status: { rayClusterName: 'mnist-x' } }),
      event('Pod', 'mnist-x-head-0'),
      true,
    ],
    ['of an earlier job of this name', job, event('PyTorchJob', 'mnist', 'before'), false],
    ['of a job of another kind', job, event('TFJob', 'mnist'), false],
    ['of a pod of a job with the same prefix', job, event('Pod', 'mnist-worker-0-worker-1'), false],
    [
      'of a pod of an earlier job of this name',
      job,
      event('Pod', 'mnist-worker-0', 'other', { eventTime: '2025-12-31T00:00:00.000000Z' }),
      false,
    ],
    ['of another job', job, event('Pod', 'web-0'), false],
  ])('%s', (_case, of, each, is) => {
    expect(isAbout(of, pods, each)).toBe(is);
  });

  it('is one line with its count', () => {
    const line = eventLine({
      ...event('Pod', 'mnist-worker-0'),
      ...{ type: 'Warning', reason: 'BackOff', note: 'Back-off restarting\n' },
      series: { count: 3, lastObservedTime: '2026-01-01T00:01:00.123456Z' },
    });
    expect(line).toBe('2026-01-01T00:01:00Z  Warning  BackOff  Pod/mnist-worker-0  (3 times) Back-off restarting\n');
  });
});
