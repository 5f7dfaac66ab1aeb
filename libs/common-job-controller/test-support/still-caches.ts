import type { KubeObject, Pod, Service } from '@muster/job-api';
import { cacheKey, type Cache, type Informer } from '@muster/kube';
import type { FrameworkAdapter } from '../src/contract/adapter.ts';
import type { JobManifest } from '../src/model/training-job.ts';
import { type WatchedKind, indexOf, jobKeysOf, ownerKeysOf } from '../src/reconcile/observe.ts';
import type { OwnedKind } from '../src/model/owned-resources.ts';

interface StillObjects {
  readonly jobs: readonly JobManifest[];
  readonly pods?: readonly Pod[];
  readonly owned?: readonly { readonly kind: OwnedKind; readonly objects: readonly KubeObject[] }[];
}

/** With the indexes of an operator of `adapters`. */
export function stillKind(
  adapter: FrameworkAdapter,
  { jobs, pods = [], owned = [] }: StillObjects,
  adapters: readonly FrameworkAdapter[] = [adapter],
): WatchedKind {
  const byJob = Object.fromEntries(adapters.map((each) => [indexOf(each), jobKeysOf(each)]));
  const byOwner = Object.fromEntries(adapters.map((each) => [indexOf(each), ownerKeysOf(each)]));
  const jobCache = stillCache(jobs, byOwner);
  return {
    adapter,
    jobs: jobCache as unknown as Informer<KubeObject>,
    caches: {
      index: indexOf(adapter),
      jobs: jobCache,
      pods: stillCache(pods, byJob),
      services: stillCache<Service>([], byJob),
      nodes: undefined,
      ownedResources: owned.map(({ kind, objects }) => ({ kind, cache: stillCache(objects, byOwner) })),
      references: [],
    },
  };
}

function stillCache<T extends KubeObject>(
  objects: readonly T[],
  indexes: Readonly<Record<string, (object: T) => readonly string[]>>,
): Cache<T> {
  return {
    get: (key) => objects.find((object) => cacheKey(object) === key),
    list: () => objects,
    byIndex: (index, value) => objects.filter((object) => indexes[index]?.(object).includes(value)),
    subscribe: () => () => undefined,
  };
}
