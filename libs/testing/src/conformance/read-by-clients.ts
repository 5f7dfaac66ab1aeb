/** Checks every status by the rules of third-party clients, which only Kubeflow's kinds with Muster's CRD have. */
import { isKubeError } from '@muster/kube';
import { misread } from '../clients/misread.ts';
import type { Fixture } from './fixture.ts';

export interface ReadByClients {
  /** Stops the watch; returns mistakes with the job's name and status. */
  stop(): Promise<readonly string[]>;
}

export async function readByClients(fixture: Fixture): Promise<ReadByClients> {
  const { client, namespace, framework } = fixture;
  const found: { readonly version: string; readonly line: string }[] = [];
  if (framework.recordIn !== undefined) return { stop: () => Promise.resolve([]) };
  const abort = new AbortController();
  const { resourceVersion } = await client.list(framework.resource, { namespace });
  const where = { namespace, resourceVersion, timeoutSeconds: 3600, signal: abort.signal };
  const events = await client.watch(framework.resource, where);
  const follow = async () => {
    for await (const { type, object } of events) {
      const { name, resourceVersion: version = '' } = object.metadata ?? {};
      if (type === 'BOOKMARK') continue;
      for (const problem of misread(object))
        found.push({ version, line: `${name}: ${problem}: ${JSON.stringify(object.status)}` });
    }
  };
  const followed = follow().catch((error: unknown) => {
    if (!abort.signal.aborted && !isKubeError(error, 'Unreachable')) throw error;
  });
  return {
    async stop() {
      abort.abort();
      await followed;
      // The watch may show a version before the case has recorded it as its own.
      return found.filter(({ version }) => !fixture.patchedStatuses.has(version)).map(({ line }) => line);
    },
  };
}
