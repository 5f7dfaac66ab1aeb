/**
 * The verbs of the Kubernetes API, on raw JSON. `http-client.ts` implements this contract.
 *
 * - A failed request throws a `KubeError` with the API's own reason.
 * - A request that is safe to repeat is repeated with back-off on connection errors, 429 and 5xx (Retry-After is
 * obeyed). Others are repeated only if the server did not act (429, or no connection). `retry.ts` has the table.
 * - A request whose `signal` is aborted throws the signal's reason.
 */
import type { KubeObject, ObjectKey, Resource } from '@muster/job-api';

export interface RequestOptions {
  signal?: AbortSignal;
  /** Default: `JSON.parse`, which rounds integers above 2^53, without `metadata.managedFields`. */
  parse?: (json: string) => unknown;
}

export interface WriteOptions extends RequestOptions {
  /** The server validates and admits, and stores nothing. */
  dryRun?: boolean;
  /** The owner of the change in `managedFields`. Default: the client's name. */
  fieldManager?: string;
  /** What the server does about unknown fields. Its default: drops them and warns. */
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** Called for each `Warning` header, in addition to `KubeClientOptions.onWarning`. */
  onWarning?: ((warning: string) => void) | undefined;
}

export interface ListOptions extends RequestOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects per page. Default 500. */
  pageSize?: number;
}

export interface KubeList<T> {
  items: T[];
  /** Starting a watch here misses no change. */
  resourceVersion: string;
}

export interface DeleteOptions extends RequestOptions {
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  dryRun?: boolean;
}

export type PatchType = 'merge' | 'json' | 'strategic';

export interface PatchOptions extends WriteOptions {
  type?: PatchType;
  subresource?: string;
}

export interface ProxiedRequest extends RequestOptions {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  /** Except `authorization`, which the API server does not pass on. */
  headers?: Readonly<Record<string, string>>;
}

export interface ProxiedAnswer {
  code: number;
  text: string;
}

export interface KubeClient {
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: RequestOptions): Promise<T>;
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Server-side apply. Conflicts with other field managers fail unless `force`. */
  apply<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions & { force?: boolean },
  ): Promise<T>;
  /** PUT: fails with Conflict unless `metadata.resourceVersion` is the stored one. */
  replace<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, patch: object, options?: PatchOptions): Promise<T>;
  /** Merge patch of the status subresource. With a `resourceVersion` in the patch it fails on a conflict. */
  patchStatus<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: object,
    options?: WriteOptions,
  ): Promise<T>;
  delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** Any other path (discovery, /version), as parsed JSON. */
  raw<T = unknown>(path: string, options?: RequestOptions): Promise<T>;
  text(path: string, options?: RequestOptions): Promise<string>;
  /** A request through the API server's proxy (Service or pod). Sent once. Returns any answer; throws without one. */
  proxied(request: ProxiedRequest): Promise<ProxiedAnswer>;
}

export interface WatchOptions extends RequestOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersion: string;
  timeoutSeconds?: number;
  /** A connection without data for this time counts as lost, and the watch fails with `Unreachable`. */
  silenceLimitMs?: number;
}

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  /** No change; only gives a resourceVersion from which a later watch can start. */
  | { type: 'BOOKMARK'; object: KubeObject };

export interface KubeListPage<T> extends KubeList<T> {
  continueToken?: string;
}

/** A client with its own connections, which can also watch. Created by `createKubeClient`. */
export interface ClusterClient extends KubeClient {
  listPage<T extends KubeObject>(
    resource: Resource<T>,
    options?: ListOptions & { continueToken?: string },
  ): Promise<KubeListPage<T>>;
  /**
   * A streamed text answer (the followed log of a pod). Resolves when the server has accepted the request. Never
   * repeated. Throws a `KubeError` if refused or cut; leaving the loop closes the connection.
   */
  textStream(path: string, options?: RequestOptions): Promise<AsyncGenerator<Buffer>>;
  /**
   * One watch request, with bookmarks and without repeats. Resolves when the server has accepted it. The events end
   * when the server ends the watch. They throw a `KubeError` if the connection is cut (`Unreachable`) or the server
   * reports an error (`Expired`: the resourceVersion is too old). Most callers want an `Informer`.
   */
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): Promise<AsyncGenerator<WatchEvent<T>>>;
  /** Cuts the watches, waits for running requests and closes the connections. */
  close(): Promise<void>;
}
