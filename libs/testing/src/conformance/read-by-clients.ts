/**
 * Every status that an operator gives to the jobs of a case, read by the decision rules of third-party clients (`clients`). Only Kubeflow's
 * kinds have such clients, and only under the definition that Muster ships is the state in the status.
 */
import { isKubeError } from '@muster/kube';
import { misread } from '../clients/misread.ts';
import type { Stage } from './stage.ts';

export interface ReadByClients {
  /** What was misread, with the name of the job and its status. */
  readonly misread: readonly string[];
  stop(): Promise<void>;
}

export async function readByClients(stage: Stage): Promise<ReadByClients> {
  const { client, namespace, framework } = stage;
  const found: string[] = [];
  if (framework.recordIn !== undefined) return { misread: found, stop: () => Promise.resolve() };
  const abort = new AbortController();
  const { resourceVersion } = await client.list(framework.resource, { namespace });
  const where = { namespace, resourceVersion, timeoutSeconds: 3600, signal: abort.signal };
  const events = await client.watch(framework.resource, where);
  const follow = async () => {
    for await (const { type, object } of events) {
      const { name, resourceVersion: version = '' } = object.metadata ?? {};
      if (type === 'BOOKMARK' || stage.patchedStatuses.has(version)) continue;
      for (const line of misread(object)) found.push(`${name}: ${line}: ${JSON.stringify(object.status)}`);
    }
  };
  const followed = follow().catch((error: unknown) => {
    if (!abort.signal.aborted && !isKubeError(error, 'Unreachable')) throw error;
  });
  return {
    misread: found,
    async stop() {
      abort.abort();
      await followed;
    },
  };
}
