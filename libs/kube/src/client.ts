/**
 * The verbs of the Kubernetes API, on raw JSON. This file is the contract; `http-client.ts` keeps it.
 *
 * Guarantees: every failed request throws a `KubeError` with the API's own reason; requests that are safe to repeat
 * are repeated with back-off on connection errors, 429 and 5xx (Retry-After is obeyed); requests that are not safe are
 * repeated only when the server did not act (429, or no connection was made). `retry.ts` has the table. A request whose
 * `signal` is aborted throws the signal's reason. Objects go in and out as they stand in JSON.
 */
import type { KubeObject, ObjectKey, Resource } from '@muster/job-api';

export interface RequestOptions {
  signal?: AbortSignal;
  /**
   * How an answer in JSON is read. Default: `JSON.parse`, which rounds integers above 2^53, without `metadata.managedFields`.
   */
  parse?: (json: string) => unknown;
}

export interface WriteOptions extends RequestOptions {
  /** The server validates and admits, and stores nothing. */
  dryRun?: boolean;
  /** Who the change is booked to in `managedFields`. Default: the client's own name. */
  fieldManager?: string;
  /** What the server does about fields that the kind does not have. Its own default: drops them and warns. */
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** Called with each warning in the headers of the answer, in addition to `KubeClientOptions.onWarning`. */
  onWarning?: ((warning: string) => void) | undefined;
}

export interface ListOptions extends RequestOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects per page; the client asks for page after page. Default 500. */
  pageSize?: number;
}

export interface KubeList<T> {
  items: T[];
  /** Where a watch has to begin in order to miss nothing. */
  resourceVersion: string;
}

export interface DeleteOptions extends RequestOptions {
  /** The object is deleted only if it is still this one. */
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  dryRun?: boolean;
}

export type PatchType = 'merge' | 'json' | 'strategic';

export interface PatchOptions extends WriteOptions {
  /** Default `merge`. */
  type?: PatchType;
  /** `status` or `scale`. */
  subresource?: string;
}

export interface ProxiedRequest extends RequestOptions {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the root of the API server. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** The API server keeps `authorization` to itself. */
  headers?: Readonly<Record<string, string>>;
}

export interface ProxiedAnswer {
  code: number;
  text: string;
}

export interface KubeClient {
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: RequestOptions): Promise<T>;
  /** All objects that match, fetched in pages. */
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
  /** Merge patch of the status subresource. With `resourceVersion` in the patch's metadata it fails on a conflict. */
  patchStatus<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: object,
    options?: WriteOptions,
  ): Promise<T>;
  delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** Any other path (discovery, /version), as parsed JSON. */
  raw<T = unknown>(path: string, options?: RequestOptions): Promise<T>;
  /** Any path whose answer is not JSON (the log of a pod), as it came. */
  text(path: string, options?: RequestOptions): Promise<string>;
  /**
   * A request to what the API server only passes on (the proxy of a Service or pod): sent once, and whatever the answer says, it is
   * returned. Throws when none came.
   */
  proxied(request: ProxiedRequest): Promise<ProxiedAnswer>;
}

export interface WatchOptions extends RequestOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** The watch begins after this version. */
  resourceVersion: string;
  /** How long the server keeps the watch open before it ends it in good order. */
  timeoutSeconds?: number;
  /** A connection on which nothing arrives for so long counts as dead, and the watch fails with `Unreachable`. */
  silenceLimitMs?: number;
}

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  /** No change; only tells from which resourceVersion a later watch may begin. */
  | { type: 'BOOKMARK'; object: KubeObject };

/** One page of a list. */
export interface KubeListPage<T> extends KubeList<T> {
  /** Not set on the last page. */
  continueToken?: string;
}

/** A client with its own connections, which can also watch. Made by `createKubeClient`. */
export interface ClusterClient extends KubeClient {
  /** One page of a list; `list` is the way to have all. */
  listPage<T extends KubeObject>(
    resource: Resource<T>,
    options?: ListOptions & { continueToken?: string },
  ): Promise<KubeListPage<T>>;
  /**
   * A long answer that is not JSON (the log of a pod that is followed), as it arrives and for as long as it takes: resolves when the
   * server has accepted the request. Never repeated. Throws a `KubeError` when it is refused or cut; leaving the loop closes the
   * connection.
   */
  textStream(path: string, options?: RequestOptions): Promise<AsyncGenerator<Buffer>>;
  /**
   * One watch request, with bookmarks and without repeats: resolves when the server has accepted it. The events end
   * when the server ends the watch, and throw a `KubeError` when it is cut (`Unreachable`) or the server reports an
   * error (`Expired`: the resourceVersion is too old). Most callers want an `Informer`.
   */
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): Promise<AsyncGenerator<WatchEvent<T>>>;
  /** Cuts the watches, lets running requests finish and closes the connections. */
  close(): Promise<void>;
}
