/** When the containers of pods ran, by the reports of the kubelets: read by a watch of its own, beside the operators. */
import { containersOf, momentOf, PODS, type Pod } from '@muster/job-api';
import { createInformer, type ClusterClient } from '@muster/kube';
import { afterAll, beforeAll } from 'vitest';

/** Milliseconds since the epoch. */
export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Run extends Interval {
  readonly pod: string;
}

export interface PodHistory {
  /** When each of these replicas had a running container. A replica is the pods whose names match. */
  allRunning(replicas: readonly RegExp[], nowMs: number): Interval[];
  /** When the last kubelet accepted its pod; undefined before that. */
  accepted(replicas: readonly RegExp[]): number | undefined;
  /** Of pods that still exist, and of those that are gone. */
  created(replica: RegExp): number[];
}

/** Call it at the top of a spec file. */
export function podHistory(client: ClusterClient, namespace: () => string): PodHistory {
  const runs = new Map<string, Run>();
  const acceptedMs = new Map<string, number>();
  const createdMs = new Map<string, { readonly name: string; readonly atMs: number }>();
  let stop: (() => Promise<void>) | undefined;

  function see(pod: Pod, isGone: boolean): void {
    const { name = '', uid = '' } = pod.metadata ?? {};
    createdMs.set(uid, { name, atMs: momentOf(pod.metadata?.creationTimestamp) ?? NaN });
    const startMs = momentOf(pod.status?.startTime);
    if (startMs !== undefined) acceptedMs.set(name, startMs);
    for (const { state, lastState } of containersOf({ status: { ...pod.status, initContainerStatuses: [] } })) {
      for (const each of [lastState?.terminated, state?.terminated, { ...state?.running, finishedAt: undefined }]) {
        const fromMs = momentOf(each?.startedAt);
        if (fromMs === undefined) continue;
        const known = runs.get(`${uid} ${fromMs}`)?.toMs ?? Infinity;
        const toMs = Math.min(known, momentOf(each?.finishedAt) ?? Infinity);
        runs.set(`${uid} ${fromMs}`, { pod: name, fromMs, toMs });
      }
    }
    if (!isGone) return;
    // The kubelet ended the container, and its last report was not seen.
    for (const [key, run] of runs)
      if (key.startsWith(uid) && run.toMs === Infinity) runs.set(key, { ...run, toMs: Date.now() });
  }

  beforeAll(async () => {
    const informer = createInformer(client, PODS, { namespaces: [namespace()] });
    informer.subscribe({
      added: (pod) => see(pod, false),
      updated: (_before, pod) => see(pod, false),
      deleted: (pod) => see(pod, true),
    });
    informer.start();
    stop = () => informer.stop();
    await informer.waitForSync();
  });
  afterAll(() => stop?.());

  return {
    accepted(replicas) {
      const names = [...acceptedMs.keys()].filter((name) => replicas.some((replica) => replica.test(name)));
      return names.length < replicas.length ? undefined : Math.max(...names.map((name) => acceptedMs.get(name) ?? 0));
    },
    created: (replica) => [...createdMs.values()].flatMap(({ name, atMs }) => (replica.test(name) ? atMs : [])),
    allRunning: (replicas, nowMs) =>
      replicas
        .reduce<Interval[]>(
          (common, replica) => {
            const own = [...runs.values()].filter(({ pod }) => replica.test(pod));
            return common.flatMap((interval) => own.flatMap((run) => overlap(interval, run)));
          },
          [{ fromMs: 0, toMs: nowMs }],
        )
        .sort((a, b) => a.fromMs - b.fromMs),
  };
}

function overlap(a: Interval, b: Interval): Interval[] {
  const [fromMs, toMs] = [Math.max(a.fromMs, b.fromMs), Math.min(a.toMs, b.toMs)];
  return fromMs < toMs ? [{ fromMs, toMs }] : [];
}

export function seconds(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs) / 1000, 0);
}
