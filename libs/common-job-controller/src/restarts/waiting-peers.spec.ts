import { describe, expect, it } from 'vitest';
import { plainPod } from '../../test-support/plain-pod.ts';
import { loopStates } from '../pods/crash-loop.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { waitingPeers } from './waiting-peers.ts';

const ADVICE = 'They may wait for it.';
const role = {
  ...{ name: 'Worker', replicas: 3, restartPolicy: 'OnFailure', endsByItself: true, containerName: 'main' },
  ...{ template: { spec: { containers: [] } }, peersMayWait: ADVICE },
} as const;

function replicasOf(each: readonly [restarts: number, second: number][], peersMayWait: string | undefined = ADVICE) {
  return each.map(([restartCount, second], index): ReplicaPod => {
    const pod = plainPod({ index, phase: 'Running' });
    const running = { startedAt: `2030-01-01T00:00:${String(second).padStart(2, '0')}Z` };
    const main = { name: 'main', image: '', imageID: '', ready: true, restartCount, state: { running } };
    const { peersMayWait: _advice, ...others } = role;
    return {
      ...{ index, state: 'running', role: peersMayWait === undefined ? others : { ...others, peersMayWait } },
      pod: { ...pod, status: { ...pod.status, containerStatuses: [main] } },
    } as ReplicaPod;
  });
}

const agesOf = (replicas: readonly ReplicaPod[], ms: number) =>
  new Map(replicas.flatMap(({ pod }) => (pod ? loopStates(pod) : [])).map((state) => [state, ms]));

describe('a replica that restarts while other replicas keep running', () => {
  const alone: [number, number][] = [
    [0, 1],
    [1, 20],
    [0, 2],
  ];

  it('is reported once, a minute later', () => {
    const replicas = replicasOf(alone);
    expect(waitingPeers(replicas, new Set(), agesOf(replicas, 20_000))).toEqual({ events: [], requeueAfterMs: 40_000 });
    const { events, requeueAfterMs } = waitingPeers(replicas, new Set(), agesOf(replicas, 60_000));
    expect(requeueAfterMs).toBeUndefined();
    expect(events.map(({ type, reason, note }) => [type, reason, note])).toEqual([
      [
        'Warning',
        'RestartedWithoutRejoining',
        `The kubelet restarted container main of pod job-worker-1 while other replicas kept running. ${ADVICE}`,
      ],
    ]);
    const emitted = new Set(events.map(({ dedupKey = '' }) => dedupKey));
    expect(waitingPeers(replicas, emitted, agesOf(replicas, 60_000))).toEqual({ events: [] });
  });

  it.each<[string, [number, number][], string | undefined]>([
    [
      'all replicas restarted, as connected ranks do',
      [
        [1, 20],
        [1, 21],
        [2, 22],
      ],
      ADVICE,
    ],
    [
      'the other replicas started after it',
      [
        [0, 30],
        [1, 20],
        [0, 30],
      ],
      ADVICE,
    ],
    ['it can rejoin', alone, undefined],
  ])('is not reported where %s', (_case, each, advice) => {
    const replicas =
      advice === undefined
        ? replicasOf(each).map(({ role: { peersMayWait: _a, ...rest }, ...r }) => ({ ...r, role: rest }))
        : replicasOf(each, advice);
    expect(waitingPeers(replicas, new Set(), agesOf(replicas, 90_000))).toEqual({ events: [] });
  });
});
