/** Follows the log of one run of a container until it ends. After a lost connection it continues without repeated lines. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PODS, type ContainerStatus, type Pod } from '@muster/job-api';
import { isKubeError, type ClusterClient } from '@muster/kube';
import type { ReplicaView } from './job-view.ts';
import { podLog, type LogLine } from './pod-log.ts';

/** An identifier of the container's current run; undefined before the first. */
export function runOf(pod: Pod, container: string): string | undefined {
  const status = statusOfContainer(pod, container);
  const { state, lastState, restartCount = 0 } = status ?? {};
  const started = state?.running ?? state?.terminated ?? lastState?.terminated;
  if (started === undefined) return undefined;
  // A container that waits for its restart has the log of the previous run.
  const run = state?.waiting === undefined ? restartCount : Math.max(0, restartCount - 1);
  return `${pod.metadata?.uid}/${container}/${run}`;
}

function statusOfContainer({ status }: Pod, container: string): ContainerStatus | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find(({ name }) => name === container);
}

interface Target {
  readonly replica: Pick<ReplicaView, 'name' | 'pod'>;
  readonly container: string;
}

interface FollowRunOptions {
  readonly tailLines: number | undefined;
  readonly write: (replica: string, line: LogLine) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

const PAUSE_MS = { base: 500, most: 10_000 };

/** Resolves when this run of the container has ended. */
export async function followRun(
  client: Pick<ClusterClient, 'textStream' | 'get'>,
  { replica, container }: Target,
  options: FollowRunOptions,
): Promise<void> {
  const { tailLines, write, warn, signal } = options;
  const { name: pod = '', namespace = '', uid } = replica.pod.metadata ?? {};
  const run = runOf(replica.pod, container);
  let after: string | undefined;
  for (let failures = 0; ; failures++) {
    try {
      const begun = after === undefined ? { tailLines } : { after };
      for await (const line of podLog(client, { namespace, pod, container, follow: true, signal, ...begun })) {
        after = line.time;
        failures = 0;
        write(replica.name, line);
      }
      // A stream also ends when the API server or the kubelet restarts.
      const now = await client.get(PODS, { namespace, name: pod }, { signal });
      if (now.metadata?.uid !== uid || runOf(now, container) !== run) return;
      if (statusOfContainer(now, container)?.state?.running === undefined) return;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return;
      if (!isKubeError(error) || error.code === 403) throw error;
      if (failures === 0) warn(`${replica.name}: ${error.message}; retrying`);
    }
    await sleep(Math.min(PAUSE_MS.base * 2 ** failures, PAUSE_MS.most), undefined, { signal }).catch(() =>
      signal.throwIfAborted(),
    );
  }
}
