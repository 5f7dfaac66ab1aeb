/** `ClusterClient` over HTTP/1.1 with raw JSON. `requester.ts` repeats requests, `transport.ts` sends them. */
import { apiVersionOf, type KubeObject, type ObjectKey, type Resource } from '@muster/job-api';
import type { Registry } from 'prom-client';
import type {
  ClusterClient,
  DeleteOptions,
  KubeList,
  KubeListPage,
  ListOptions,
  PatchOptions,
  PatchType,
  ProxiedAnswer,
  ProxiedRequest,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { listPages } from './list-pages.ts';
import type { Logger } from './logger.ts';
import { createRateLimit } from './rate-limit.ts';
import { keyOf, requestTitle, resourcePath } from './request-path.ts';
import { createRestMetrics } from './rest-metrics.ts';
import { createRequester, type Requester } from './requester.ts';
import { createTransport, type Transport } from './transport.ts';
import { openStream } from './open-stream.ts';
import { ServedVersionClient } from './served-version.ts';
import { openWatch } from './watch.ts';

export interface KubeClientOptions {
  /** Shown in the API server's audit log. The part before the slash is the default field manager. */
  userAgent: string;
  /** For `rest_client_…` metrics. Default: none. */
  registry?: Registry;
  /** Retries are logged here, at debug level. */
  logger?: Logger;
  /** Called for each `Warning` header. Default: warnings are dropped. */
  onWarning?: (warning: string) => void;
  /** Connections for requests, in addition to one for each watch. Default 32. */
  connections?: number;
  /** Timeout of one try: for the head of the answer, and for silence within it. Default 30 s. */
  requestTimeoutMs?: number;
  /** Average requests per second; 0, the default, leaves limiting to the API server's priority and fairness. */
  qps?: number;
  /** Burst when `qps` is set. Default: twice `qps`. */
  burst?: number;
}

/** Connects with the first request. Has to be closed. */
export function createKubeClient(access: ClusterAccess, options: KubeClientOptions): ClusterClient {
  const {
    userAgent,
    registry,
    logger,
    onWarning,
    connections = 32,
    requestTimeoutMs = 30_000,
    qps = 0,
    burst = qps * 2,
  } = options;
  const { server } = access;
  const metrics = createRestMetrics(registry, new URL(server).host);
  const transport = createTransport(access, { userAgent, connections, requestTimeoutMs, metrics });
  const requester = createRequester({ server, transport, rateLimit: createRateLimit(qps, burst), logger, onWarning });
  return new ServedVersionClient(new HttpClient(server, userAgent.split('/', 1)[0] ?? userAgent, transport, requester));
}

const DEFAULT_PAGE_SIZE = 500;

/** A watch without data for this time is lost: servers send a bookmark about every minute. */
const DEFAULT_SILENCE_LIMIT_MS = 150_000;

const PATCH_CONTENT_TYPES: Record<PatchType, string> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

class HttpClient implements ClusterClient {
  readonly #server: string;
  readonly #transport: Transport;
  readonly #fieldManager: string;
  readonly #request: Requester['request'];

  constructor(server: string, fieldManager: string, transport: Transport, requester: Requester) {
    this.#server = server;
    this.#fieldManager = fieldManager;
    this.#transport = transport;
    this.#request = requester.request;
  }

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options: RequestOptions = {}): Promise<T> {
    return this.#request<T>({
      method: 'GET',
      title: requestTitle('get', resource, key),
      path: resourcePath(resource, key),
      repeatable: true,
      signal: options.signal,
      parse: options.parse,
    });
  }

  list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    return listPages(this, resource, options, (object) => object);
  }

  async listPage<T extends KubeObject>(
    resource: Resource<T>,
    options: ListOptions & { continueToken?: string } = {},
  ): Promise<KubeListPage<T>> {
    const {
      namespace,
      labelSelector,
      fieldSelector,
      pageSize = DEFAULT_PAGE_SIZE,
      continueToken,
      signal,
      parse,
    } = options;
    const at = namespace === undefined ? {} : { namespace };
    const answer = await this.#request<{
      metadata?: { resourceVersion?: string; continue?: string };
      items?: T[] | null;
    }>({
      method: 'GET',
      title: requestTitle('list', resource, at),
      path: resourcePath(resource, at, { labelSelector, fieldSelector, limit: pageSize, continue: continueToken }),
      repeatable: true,
      signal,
      parse,
    });
    const items = answer.items ?? [];
    const apiVersion = apiVersionOf(resource);
    // Items of built-in kinds lack these in lists.
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
    const { namespace, name, generateName = '' } = object.metadata ?? {};
    const at = namespace === undefined ? {} : { namespace };
    return this.#request<T>({
      method: 'POST',
      title: requestTitle('create', resource, { ...at, name: name ?? generateName }),
      path: resourcePath(resource, at, this.#booking(options)),
      body: JSON.stringify(withKind(resource, object)),
      repeatable: false,
      signal: options.signal,
      parse: options.parse,
      onWarning: options.onWarning,
    });
  }

  apply<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & { force?: boolean } = {},
  ): Promise<T> {
    const key = keyOf(object);
    return this.#request<T>({
      method: 'PATCH',
      title: requestTitle('apply', resource, key),
      path: resourcePath(resource, key, { ...this.#booking(options), force: options.force }),
      contentType: 'application/apply-patch+yaml',
      body: JSON.stringify(withKind(resource, object)),
      repeatable: true,
      signal: options.signal,
      onWarning: options.onWarning,
    });
  }

  replace<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const key = keyOf(object);
    return this.#request<T>({
      method: 'PUT',
      title: requestTitle('replace', resource, key),
      path: resourcePath(resource, key, this.#booking(options)),
      body: JSON.stringify(withKind(resource, object)),
      repeatable: object.metadata?.resourceVersion !== undefined,
      signal: options.signal,
      onWarning: options.onWarning,
    });
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: object,
    options: PatchOptions = {},
  ): Promise<T> {
    const { subresource, type = 'merge', signal, onWarning } = options;
    return this.#request<T>({
      method: 'PATCH',
      title: requestTitle('patch', resource, key, subresource),
      path: resourcePath(resource, { ...key, subresource }, this.#booking(options)),
      contentType: PATCH_CONTENT_TYPES[type],
      body: JSON.stringify(patch),
      repeatable: false,
      signal,
      onWarning,
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
    await this.#request({
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
    return this.#request<T>({ method: 'GET', title: `get ${path}`, path, repeatable: true, signal: options.signal });
  }

  text(path: string, { signal }: RequestOptions = {}): Promise<string> {
    return this.#request<string>({ method: 'GET', title: `get ${path}`, path, repeatable: true, plain: true, signal });
  }

  textStream(path: string, { signal }: RequestOptions = {}): Promise<AsyncGenerator<Buffer>> {
    return openStream(this.#transport, { title: `get ${path}`, server: this.#server, path, signal, plain: true });
  }

  async proxied({ method, path, body, headers, signal }: ProxiedRequest): Promise<ProxiedAnswer> {
    const sent = {
      method,
      path,
      ...(headers && { headers }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const { code, text } = await this.#transport.send({ ...sent, plain: true, signal });
    return { code, text };
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
      ...(options.fieldValidation === undefined ? {} : { fieldValidation: options.fieldValidation }),
    };
  }
}

/** Objects from a list, or built by hand, may lack both, which writes require. */
function withKind<T extends KubeObject>(resource: Resource<T>, object: T): T {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
}
