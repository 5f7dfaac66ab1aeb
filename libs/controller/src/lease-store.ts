/**
 * One Lease on the API server. What another replica did first is an answer here (`undefined`), not an error; every other
 * failure is thrown.
 */
import { LEASES, type Lease, type ObjectKey } from '@muster/job-api';
import { isKubeError, type KubeClient, type KubeErrorReason } from '@muster/kube';

type LeaseSpec = NonNullable<Lease['spec']>;

/** What it takes to read and write a Lease. */
export type LeaseClient = Pick<KubeClient, 'get' | 'create' | 'replace'>;

export class LeaseStore {
  readonly key: ObjectKey;
  #client: LeaseClient;

  constructor(client: LeaseClient, key: ObjectKey) {
    this.#client = client;
    this.key = key;
  }

  /** Undefined when there is none. */
  read(signal: AbortSignal): Promise<Lease | undefined> {
    return unless(['NotFound'], this.#client.get(LEASES, this.key, { signal }));
  }

  /** Undefined when another was quicker. */
  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease | undefined> {
    const lease: Lease = { metadata: { ...this.key }, spec };
    return unless(['AlreadyExists'], this.#client.create(LEASES, lease, { signal }));
  }

  /** Writes over exactly the version that `lease` is; undefined when another is stored by now, or none. */
  replace(lease: Lease, spec: LeaseSpec, signal: AbortSignal): Promise<Lease | undefined> {
    return unless(['Conflict', 'NotFound'], this.#client.replace(LEASES, { ...lease, spec }, { signal }));
  }

  isSame(lease: Lease): boolean {
    return lease.metadata?.name === this.key.name && lease.metadata?.namespace === this.key.namespace;
  }
}

async function unless(reasons: KubeErrorReason[], request: Promise<Lease>): Promise<Lease | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isKubeError(error, ...reasons)) return undefined;
    throw error;
  }
}
