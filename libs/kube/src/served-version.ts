/** A client that looks up the served version of resources with `otherVersions`. */
import { apiVersionOf, type KubeObject, type ObjectKey, type Resource } from '@muster/job-api';
import type {
  ClusterClient,
  DeleteOptions,
  KubeList,
  KubeListPage,
  ListOptions,
  PatchOptions,
  ProxiedAnswer,
  ProxiedRequest,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import { hasResource } from './discovery.ts';
import { isKubeError } from './kube-error.ts';

/**
 * A version is kept until a request answers NotFound: an upgrade of the cluster may have replaced it. If none is
 * served, requests use `version` and fail as for any missing resource.
 */
export class ServedVersionClient implements ClusterClient {
  readonly #client: ClusterClient;
  readonly #served = new Map<Resource, Resource>();

  constructor(client: ClusterClient) {
    this.#client = client;
  }

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: RequestOptions): Promise<T> {
    return this.#with(resource, (served) => this.#client.get(served, key, options));
  }

  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<KubeList<T>> {
    return this.#with(resource, (served) => this.#client.list(served, options));
  }

  listPage<T extends KubeObject>(
    resource: Resource<T>,
    options?: ListOptions & { continueToken?: string },
  ): Promise<KubeListPage<T>> {
    return this.#with(resource, (served) => this.#client.listPage(served, options));
  }

  create<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#with(resource, (served) => this.#client.create(served, inVersion(served, resource, object), options));
  }

  apply<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions & { force?: boolean },
  ): Promise<T> {
    return this.#with(resource, (served) => this.#client.apply(served, inVersion(served, resource, object), options));
  }

  replace<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#with(resource, (served) => this.#client.replace(served, inVersion(served, resource, object), options));
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: object,
    options?: PatchOptions,
  ): Promise<T> {
    return this.#with(resource, (served) => this.#client.patch(served, key, patch, options));
  }

  patchStatus<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: object,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#with(resource, (served) => this.#client.patchStatus(served, key, patch, options));
  }

  delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: DeleteOptions): Promise<void> {
    return this.#with(resource, (served) => this.#client.delete(served, key, options));
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): Promise<AsyncGenerator<WatchEvent<T>>> {
    return this.#with(resource, (served) => this.#client.watch(served, options));
  }

  raw<T = unknown>(path: string, options?: RequestOptions): Promise<T> {
    return this.#client.raw<T>(path, options);
  }

  text(path: string, options?: RequestOptions): Promise<string> {
    return this.#client.text(path, options);
  }

  textStream(path: string, options?: RequestOptions): Promise<AsyncGenerator<Buffer>> {
    return this.#client.textStream(path, options);
  }

  proxied(request: ProxiedRequest): Promise<ProxiedAnswer> {
    return this.#client.proxied(request);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #with<T extends KubeObject, R>(resource: Resource<T>, request: (served: Resource<T>) => Promise<R>): Promise<R> {
    return resource.otherVersions === undefined ? request(resource) : this.#inServedVersion(resource, request);
  }

  async #inServedVersion<T extends KubeObject, R>(
    resource: Resource<T>,
    request: (served: Resource<T>) => Promise<R>,
  ): Promise<R> {
    const served = this.#served.get(resource) ?? (await this.#find(resource));
    try {
      return await request(served as Resource<T>);
    } catch (error) {
      if (isKubeError(error, 'NotFound')) this.#served.delete(resource);
      throw error;
    }
  }

  async #find(resource: Resource): Promise<Resource> {
    const { version: newest, otherVersions = [], group, plural } = resource;
    for (const version of [newest, ...otherVersions]) {
      if (!(await hasResource(this.#client, group, version, plural))) continue;
      const served = { ...resource, version };
      this.#served.set(resource, served);
      return served;
    }
    return resource;
  }
}

/** Callers set the newest version in objects. */
function inVersion<T extends KubeObject>(served: Resource<T>, resource: Resource<T>, object: T): T {
  if (served.version === resource.version || object.apiVersion === undefined) return object;
  return { ...object, apiVersion: apiVersionOf(served) };
}
