import { expect, it } from 'vitest';
import { at, NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { failedAgain, ranMs, restartDelayMs } from './restart-backoff.ts';

it('restarts after the first failure at once, then doubles the delay from 10 seconds up to 5 minutes', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 1_000_000].map((failures) => restartDelayMs(failures) / 1000)).toEqual([
    0, 0, 10, 20, 40, 80, 160, 300, 300,
  ]);
});

it('counts failures in a row until a program has run for ten minutes, and records the time if a delay follows', () => {
  const MINUTE = 60_000;
  expect(failedAgain(0, 0, NOW)).toStrictEqual({ failures: 1 });
  expect(failedAgain(1, 10 * MINUTE - 1, NOW)).toStrictEqual({ failures: 2, lastFailureTime: at(0) });
  expect(failedAgain(7, 10 * MINUTE, NOW)).toStrictEqual({ failures: 1 });
  expect(failedAgain(0, 0, NOW, 5)).toStrictEqual({ failures: 1, lastFailureTime: at(0), delaySeconds: 5 });
});

it.each<[string, PlainPod, seconds: number]>([
  ['from its start to its end', { exit: 1, started: -700, ended: -50 }, 650],
  ['from its last start, while it runs', { started: -700 }, 700],
  ['independently of a sidecar', { exit: 1, started: -700, ended: -50, sidecarExit: 1 }, 650],
  ['not at all in a pod that waits for an image', { phase: 'Pending', waits: 'ImagePullBackOff' }, 0],
])('measures how long the program has run: %s', (_how, pod, seconds) => {
  expect(ranMs(plainPod(pod), 'main', NOW)).toBe(seconds * 1000);
});

it('measures how long an init container has run in a pod whose program was never started', () => {
  const pod = plainPod({ phase: 'Failed', waits: 'PodInitializing' });
  const [init] = pod.status?.initContainerStatuses ?? [];
  const state = { terminated: { exitCode: 1, startedAt: at(-700), finishedAt: at(-100) } };
  expect(ranMs({ ...pod, status: { ...pod.status, initContainerStatuses: [{ ...init!, state }] } }, 'main', NOW)).toBe(
    600_000,
  );
});
