/** Resumes where the connection was cut, so that no event is missed. */
import type { KubeObject, Resource } from '@muster/job-api';
import { isKubeError, type ClusterClient, type WatchEvent } from '@muster/kube';

export type Seen<T> = Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>;

export interface WatchOptions {
  readonly namespace: string;
  readonly signal: AbortSignal;
}

export async function unbrokenWatch<T extends KubeObject>(
  client: ClusterClient,
  resource: Resource<T>,
  { namespace, signal }: WatchOptions,
  note: (event: Seen<T>) => void,
): Promise<() => Promise<void>> {
  let { resourceVersion } = await client.list(resource, { namespace });
  const open = () => client.watch(resource, { namespace, resourceVersion, timeoutSeconds: 3600, signal });
  const follow = async (events: AsyncGenerator<WatchEvent<T>>): Promise<void> => {
    for await (const event of events) {
      resourceVersion = event.object.metadata?.resourceVersion ?? resourceVersion;
      if (event.type !== 'BOOKMARK') note(event);
    }
  };
  const first = await open();
  return async () => {
    for (let events = first; ; events = await open()) {
      await follow(events).catch((error: unknown) => {
        if (!isKubeError(error, 'Unreachable')) throw error;
      });
    }
  };
}
