/**
 * A cache of one resource, kept current by a watch.
 *
 * After `waitForSync` it has every matching object. Later changes arrive in the server's order, also over lost
 * connections. A handler is never called twice for one resourceVersion, nor for an object that was not reported as
 * added. The cache lags: a write shows some milliseconds later.
 *
 * An informer never gives up. Its current failure is in `problem`.
 */
import type { KubeObject, Resource } from '@muster/job-api';
import type { Registry } from 'prom-client';
import { cacheKey, type Cache, type CacheHandler, type CacheKey } from './cache.ts';
import type { ClusterClient } from './client.ts';
import type { KubeError } from './kube-error.ts';
import type { Logger } from './logger.ts';
import { type Indexes, ObjectStore } from './object-store.ts';
import { reflect } from './reflector.ts';
import { unlessAborted } from './unless-aborted.ts';
import { watchRestarts } from './watch-metrics.ts';

export interface InformerOptions<T extends KubeObject> {
  namespaces?: readonly string[];
  labelSelector?: string;
  fieldSelector?: string;
  /**
   * Reduces each object; `metadata.managedFields` is removed already. It may change its argument, and must keep
   * `metadata.name`, `namespace`, `uid` and `resourceVersion`.
   */
  trim?: (object: T) => T;
  /** Filters objects; rejected ones are treated as absent. Default: all are kept. */
  keep?: (object: T) => boolean;
  indexes?: Indexes<T>;
  logger?: Logger;
  registry?: Registry;
  /** Freezes objects deeply, so that changing one throws. For tests. */
  freeze?: boolean;
  /** A watch without data for this time is cut and resumed. Default 150 s. */
  silenceLimitMs?: number;
}

export interface Informer<T extends KubeObject> extends Cache<T> {
  readonly resource: Resource<T>;
  /** True once everything has been listed, whatever happens later. */
  readonly synced: boolean;
  /** The last failure until it is over, such as a missing CRD or right. */
  readonly problem: KubeError | undefined;
  start(): void;
  /** Resolves when no more handlers are called. The cache stays readable. */
  stop(): Promise<void>;
  /** Resolves when everything has been listed once; rejects only with the signal's reason. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Like `waitForSync`, but also resolves if the API server does not serve the resource. */
  waitForAnswer(signal?: AbortSignal): Promise<void>;
}

export function createInformer<T extends KubeObject>(
  client: ClusterClient,
  resource: Resource<T>,
  options: InformerOptions<T> = {},
): Informer<T> {
  return new WatchCache(client, resource, options);
}

/** One list-and-watch: of the whole cluster, or of one namespace. */
interface Scope {
  namespace: string | undefined;
  synced: boolean;
  problem: KubeError | undefined;
}

class WatchCache<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource<T>;
  readonly #client: ClusterClient;
  readonly #options: InformerOptions<T>;
  readonly #store: ObjectStore<T>;
  readonly #scopes: readonly Scope[];
  readonly #handlers = new Set<CacheHandler<T>>();
  readonly #restarted: ReturnType<typeof watchRestarts>;
  readonly #stop = new AbortController();
  readonly #firstSync = Promise.withResolvers<void>();
  readonly #firstAnswer = Promise.withResolvers<void>();
  #running: Promise<unknown> | undefined;

  constructor(client: ClusterClient, resource: Resource<T>, options: InformerOptions<T>) {
    this.resource = resource;
    this.#client = client;
    this.#options = options;
    this.#store = new ObjectStore(options.indexes ?? {});
    this.#restarted = watchRestarts(options.registry, resource);
    const { namespaces = [] } = options;
    const scopes = namespaces.length === 0 ? [undefined] : [...new Set(namespaces)];
    this.#scopes = scopes.map((namespace) => ({ namespace, synced: false, problem: undefined }));
  }

  get synced(): boolean {
    return this.#scopes.every((scope) => scope.synced);
  }

  get problem(): KubeError | undefined {
    return this.#scopes.find((scope) => scope.problem !== undefined)?.problem;
  }

  get(key: CacheKey): T | undefined {
    return this.#store.get(key);
  }

  list(): readonly T[] {
    return this.#store.list();
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#store.byIndex(index, value);
  }

  subscribe(handler: CacheHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#store.list()) this.#call(() => handler.added?.(object));
    return () => this.#handlers.delete(handler);
  }

  start(): void {
    this.#running ??= Promise.all(this.#scopes.map((scope) => this.#follow(scope)));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  waitForSync(signal?: AbortSignal): Promise<void> {
    return this.synced ? this.#firstSync.promise : unlessAborted(this.#firstSync.promise, signal);
  }

  waitForAnswer(signal?: AbortSignal): Promise<void> {
    return unlessAborted(this.#firstAnswer.promise, signal);
  }

  async #follow(scope: Scope): Promise<void> {
    const { labelSelector, fieldSelector, silenceLimitMs } = this.#options;
    const events = reflect(this.#client, this.resource, {
      ...(scope.namespace === undefined ? {} : { namespace: scope.namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(silenceLimitMs === undefined ? {} : { silenceLimitMs }),
      trim: (object) => this.#trim(object),
      signal: this.#stop.signal,
    });
    for await (const event of events) {
      if (this.#stop.signal.aborted) return;
      if (event.type === 'LISTED') this.#replace(scope, event.items);
      else if (event.type === 'WATCHING') this.#recovered(scope);
      else if (event.type === 'RESTARTED') this.#restarted(event.reason);
      else if (event.type === 'FAILED') this.#failed(scope, event.error);
      else if (event.type === 'DELETED') this.#delete(event.object);
      else this.#set(event.object);
    }
  }

  #trim(object: T): T {
    const trimmed = this.#options.trim?.(object) ?? object;
    return this.#options.freeze === true ? deepFreeze(trimmed) : trimmed;
  }

  /** A cached object that is missing in a list was deleted while no watch was running. */
  #replace(scope: Scope, items: readonly T[]): void {
    const listed = new Set(items.map(cacheKey));
    for (const object of this.#store.list()) {
      const here = scope.namespace === undefined || object.metadata?.namespace === scope.namespace;
      if (here && !listed.has(cacheKey(object))) this.#delete(object);
    }
    for (const item of items) this.#set(item);
    scope.synced = true;
    if (this.synced) this.#firstSync.resolve();
    this.#answered();
  }

  #set(object: T): void {
    if (this.#options.keep?.(object) === false) return this.#delete(object);
    const before = this.#store.get(cacheKey(object));
    if (before?.metadata?.resourceVersion === object.metadata?.resourceVersion && before !== undefined) return;
    // The name now belongs to another object: the watch missed the deletion, which handlers have to see.
    if (before !== undefined && before.metadata?.uid !== object.metadata?.uid) this.#delete(before);
    const replaced = this.#store.set(object);
    for (const handler of this.#handlers) {
      this.#call(() => (replaced === undefined ? handler.added?.(object) : handler.updated?.(replaced, object)));
    }
  }

  #delete(last: T): void {
    const before = this.#store.delete(cacheKey(last));
    if (before === undefined) return;
    for (const handler of this.#handlers) this.#call(() => handler.deleted?.(last));
  }

  /** An error of one handler does not affect other handlers or the cache. */
  #call(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#options.logger?.error('a handler of a watch cache failed', { resource: this.resource.plural, error });
    }
  }

  #failed(scope: Scope, error: KubeError): void {
    // Logged once, not at every try.
    if (scope.problem?.message !== error.message) {
      this.#options.logger?.debug('cannot watch, retrying', { resource: this.resource.plural, error: error.message });
    }
    scope.problem = error;
    this.#answered();
  }

  #answered(): void {
    if (this.#scopes.every(({ synced, problem }) => synced || problem?.reason === 'NotFound'))
      this.#firstAnswer.resolve();
  }

  #recovered(scope: Scope): void {
    if (scope.problem !== undefined) this.#options.logger?.info('watching again', { resource: this.resource.plural });
    scope.problem = undefined;
  }
}

function deepFreeze<V>(value: V): V {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
