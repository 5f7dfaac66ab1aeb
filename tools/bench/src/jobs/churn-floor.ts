/** How many bare pods a second a raw client can create, run to their end and delete, 64 at a time. */
import { PODS, type Pod } from '@muster/job-api';
import { createInformer } from '@muster/kube';
import { rawClient } from '../raw-client.ts';
import { barePod, type MeasuredKind } from '../training-job.ts';
import type { ChurnBench } from './churn-load.ts';

const AT_ONCE = 64;
const LABEL = 'bench.muster.dev/floor';

/** Resolves after `seconds`, when the last pod is deleted. */
export async function churnFloor(
  { access, client, namespace }: Pick<ChurnBench, 'access' | 'client' | 'namespace'>,
  kind: MeasuredKind,
  { seconds, trainingMs }: { seconds: number; trainingMs: number },
): Promise<number> {
  const ended = new Map<string, () => void>();
  const look = ({ metadata, status }: Pod) => {
    if (status?.phase === 'Succeeded') ended.get(metadata?.name ?? '')?.();
  };
  const pods = createInformer(client, PODS, { namespaces: [namespace], labelSelector: LABEL });
  pods.subscribe({ added: look, updated: (_before, after) => look(after) });
  pods.start();
  await pods.waitForSync();
  const raw = await rawClient(access, AT_ONCE);
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const startMs = performance.now();
  let made = 0;
  const inTurn = async () => {
    while (performance.now() - startMs < seconds * 1000) {
      const name = `floor-${made++}`;
      const { promise, resolve } = Promise.withResolvers<void>();
      ended.set(name, resolve);
      await raw.post(path, barePod(kind, name, { [LABEL]: 'churn' }, trainingMs));
      await promise;
      ended.delete(name);
      await raw.delete(`${path}/${name}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
    return made / ((performance.now() - startMs) / 1000);
  } finally {
    raw.close();
    await pods.stop();
  }
}
