/**
 * `ClusterClient` over HTTP/1.1 with raw JSON: what each verb is on the wire. How requests travel is in `transport.ts`,
 * what is repeated in `retry.ts`, what an error says in `answer-error.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { apiVersionOf, type KubeObject, type ObjectKey, type Resource } from '@muster/job-api';
import type { Registry } from 'prom-client';
import { answerError, connectionError, errorCodeOf, retryAfterOf } from './answer-error.ts';
import type {
  ClusterClient,
  DeleteOptions,
  KubeList,
  KubeListPage,
  ListOptions,
  PatchOptions,
  PatchType,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { KubeError } from './kube-error.ts';
import { listPages } from './list-pages.ts';
import type { Logger } from './logger.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import { keyOf, requestTitle, resourcePath } from './request-path.ts';
import { createRestMetrics } from './rest-metrics.ts';
import { type Failure, retryDelayMs } from './retry.ts';
import { createTransport, type Transport, type TransportRequest } from './transport.ts';
import { openWatch } from './watch.ts';

export interface KubeClientOptions {
  /** Says in the API server's logs who this is; up to the slash it is also the default field manager. */
  userAgent: string;
  /** Where `rest_client_…` metrics go. Without it nothing is measured. */
  registry?: Registry;
  /** Repeats are logged here, at debug level. */
  logger?: Logger;
  /** Connections for requests, beside one for each watch. Default 32. */
  connections?: number;
  /** Limit of one try: for the head of the answer, and for silence within it. Default 30 s. */
  requestTimeoutMs?: number;
  /** Requests per second in the long run; 0, the default, leaves limiting to the API server's fair queues. */
  qps?: number;
  /** Requests at once when `qps` is set. Default: twice `qps`. */
  burst?: number;
}

/** A client for the cluster behind `access`. Connects with the first request; `close` it in the end. */
export function createKubeClient(access: ClusterAccess, options: KubeClientOptions): ClusterClient {
  const {
    userAgent,
    registry,
    logger,
    connections = 32,
    requestTimeoutMs = 30_000,
    qps = 0,
    burst = qps * 2,
  } = options;
  const metrics = createRestMetrics(registry, new URL(access.server).host);
  return new HttpClient({
    server: access.server,
    transport: createTransport(access, { userAgent, connections, requestTimeoutMs, metrics }),
    rateLimit: createRateLimit(qps, burst),
    fieldManager: userAgent.split('/', 1)[0] ?? userAgent,
    logger,
  });
}

const DEFAULT_PAGE_SIZE = 500;

/** A watch on which not even a bookmark came for so long is dead: servers send one about every minute. */
const DEFAULT_SILENCE_LIMIT_MS = 150_000;

const PATCH_CONTENT_TYPES: Record<PatchType, string> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

interface Ask extends TransportRequest {
  title: string;
  /** See `retry.ts`. */
  repeatable: boolean;
}

class HttpClient implements ClusterClient {
  readonly #server: string;
  readonly #transport: Transport;
  readonly #rateLimit: RateLimit;
  readonly #fieldManager: string;
  readonly #logger: Logger | undefined;

  constructor(parts: {
    server: string;
    transport: Transport;
    rateLimit: RateLimit;
    fieldManager: string;
    logger: Logger | undefined;
  }) {
    this.#server = parts.server;
    this.#transport = parts.transport;
    this.#rateLimit = parts.rateLimit;
    this.#fieldManager = parts.fieldManager;
    this.#logger = parts.logger;
  }

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options: RequestOptions = {}): Promise<T> {
    return this.#ask<T>({
      method: 'GET',
      title: requestTitle('get', resource, key),
      path: resourcePath(resource, key),
      repeatable: true,
      signal: options.signal,
    });
  }

  list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    return listPages(this, resource, options, (object) => object);
  }

  async listPage<T extends KubeObject>(
    resource: Resource<T>,
    options: ListOptions & { continueToken?: string } = {},
  ): Promise<KubeListPage<T>> {
    const { namespace, labelSelector, fieldSelector, pageSize = DEFAULT_PAGE_SIZE, continueToken, signal } = options;
    const at = namespace === undefined ? {} : { namespace };
    const answer = await this.#ask<{ metadata?: { resourceVersion?: string; continue?: string }; items?: T[] | null }>({
      method: 'GET',
      title: requestTitle('list', resource, at),
      path: resourcePath(resource, at, { labelSelector, fieldSelector, limit: pageSize, continue: continueToken }),
      repeatable: true,
      signal,
    });
    const items = answer.items ?? [];
    const apiVersion = apiVersionOf(resource);
    // Built-in kinds come in lists without them.
    for (const item of items) {
      item.apiVersion ??= apiVersion;
      item.kind ??= resource.kind;
    }
    const next = answer.metadata?.continue;
    return {
      items,
      resourceVersion: answer.metadata?.resourceVersion ?? '',
      ...(next === undefined || next === '' ? {} : { continueToken: next }),
    };
  }

  create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const key = keyOf(object);
    const name = object.metadata?.name ?? object.metadata?.generateName;
    return this.#ask<T>({
      method: 'POST',
      title: requestTitle('create', resource, { ...key, ...(name === undefined ? {} : { name }) }),
      path: resourcePath(
        resource,
        key.namespace === undefined ? {} : { namespace: key.namespace },
        this.#booking(options),
      ),
      body: JSON.stringify(withKind(resource, object)),
      repeatable: false,
      signal: options.signal,
    });
  }

  apply<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & { force?: boolean } = {},
  ): Promise<T> {
    const key = keyOf(object);
    return this.#ask<T>({
      method: 'PATCH',
      title: requestTitle('apply', resource, key),
      path: resourcePath(resource, key, { ...this.#booking(options), force: options.force }),
      contentType: 'application/apply-patch+yaml',
      body: JSON.stringify(withKind(resource, object)),
      repeatable: true,
      signal: options.signal,
    });
  }

  replace<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const key = keyOf(object);
    return this.#ask<T>({
      method: 'PUT',
      title: requestTitle('replace', resource, key),
      path: resourcePath(resource, key, this.#booking(options)),
      body: JSON.stringify(withKind(resource, object)),
      repeatable: object.metadata?.resourceVersion !== undefined,
      signal: options.signal,
    });
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: object,
    options: PatchOptions = {},
  ): Promise<T> {
    const { subresource, type = 'merge', signal } = options;
    return this.#ask<T>({
      method: 'PATCH',
      title: requestTitle('patch', resource, key, subresource),
      path: resourcePath(resource, { ...key, subresource }, this.#booking(options)),
      contentType: PATCH_CONTENT_TYPES[type],
      body: JSON.stringify(patch),
      repeatable: false,
      signal,
    });
  }

  patchStatus<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: object,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.patch(resource, key, patch, { ...options, subresource: 'status' });
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<void> {
    const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy, dryRun, signal } = options;
    const preconditions = { uid, resourceVersion };
    await this.#ask({
      method: 'DELETE',
      title: requestTitle('delete', resource, key),
      path: resourcePath(resource, key),
      body: JSON.stringify({
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds,
        propagationPolicy,
        ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions }),
        ...(dryRun === true ? { dryRun: ['All'] } : {}),
      }),
      repeatable: true,
      signal,
    });
  }

  raw<T = unknown>(path: string, options: RequestOptions = {}): Promise<T> {
    return this.#ask<T>({ method: 'GET', title: `get ${path}`, path, repeatable: true, signal: options.signal });
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): Promise<AsyncGenerator<WatchEvent<T>>> {
    const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, signal } = options;
    const at = namespace === undefined ? {} : { namespace };
    const path = resourcePath(resource, at, {
      watch: true,
      allowWatchBookmarks: true,
      labelSelector,
      fieldSelector,
      resourceVersion,
      timeoutSeconds,
    });
    return openWatch<T>(this.#transport, {
      title: requestTitle('watch', resource, at),
      server: this.#server,
      path,
      signal,
      silenceLimitMs: options.silenceLimitMs ?? DEFAULT_SILENCE_LIMIT_MS,
    });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #booking(options: WriteOptions) {
    return {
      fieldManager: options.fieldManager ?? this.#fieldManager,
      ...(options.dryRun === true ? { dryRun: 'All' } : {}),
    };
  }

  /** Sends, repeats where that is safe, and parses the answer. */
  async #ask<R>(ask: Ask): Promise<R> {
    const { title, repeatable, signal } = ask;
    for (let tries = 1; ; tries++) {
      const waitMs = this.#rateLimit.reserveMs();
      if (waitMs > 0) await pause(waitMs, signal);
      const { answer, error, failure } = await this.#try<R>(ask);
      if (error === undefined) return answer;
      const delayMs = retryDelayMs(failure, repeatable, tries);
      if (delayMs === undefined) throw error;
      this.#logger?.debug('repeating a request', { request: title, tries, delayMs, error: error.message });
      await pause(delayMs, signal);
    }
  }

  async #try<R>(
    ask: Ask,
  ): Promise<
    { answer: R; error?: undefined; failure?: undefined } | { answer?: undefined; error: KubeError; failure: Failure }
  > {
    try {
      const response = await this.#transport.send(ask);
      if (response.code >= 200 && response.code < 300) return { answer: JSON.parse(response.text) as R };
      return {
        error: answerError(ask.title, response, response.text),
        failure: { kind: 'answer', code: response.code, retryAfterSeconds: retryAfterOf(response) },
      };
    } catch (cause) {
      // The caller's own wish is not a failure of the request.
      if (ask.signal?.aborted === true) throw ask.signal.reason;
      return {
        error: connectionError(ask.title, this.#server, cause),
        failure: { kind: 'connection', errorCode: errorCodeOf(cause) },
      };
    }
  }
}

/** Objects that were read from a list, or built by hand, may lack what a write must say. */
function withKind<T extends KubeObject>(resource: Resource<T>, object: T): T {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : error;
  }
}
