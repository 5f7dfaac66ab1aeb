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
  #annotations: Readonly<Record<string, string>>;

  /** @param annotations what every write puts on the Lease, beside what is there */
  constructor(client: LeaseClient, key: ObjectKey, annotations: Readonly<Record<string, string>>) {
    this.#client = client;
    this.key = key;
    this.#annotations = annotations;
  }

  /** Undefined when there is none. */
  read(signal: AbortSignal): Promise<Lease | undefined> {
    return unless(['NotFound'], this.#client.get(LEASES, this.key, { signal }));
  }

  /** Undefined when another was quicker. */
  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease | undefined> {
    const lease = this.#annotated({ metadata: { ...this.key }, spec });
    return unless(['AlreadyExists'], this.#client.create(LEASES, lease, { signal }));
  }

  /** Writes over exactly the version that `lease` is; undefined when another is stored by now, or none. */
  replace(lease: Lease, spec: LeaseSpec, signal: AbortSignal): Promise<Lease | undefined> {
    return unless(
      ['Conflict', 'NotFound'],
      this.#client.replace(LEASES, this.#annotated({ ...lease, spec }), { signal }),
    );
  }

  isSame(lease: Lease): boolean {
    return lease.metadata?.name === this.key.name && lease.metadata?.namespace === this.key.namespace;
  }

  #annotated(lease: Lease): Lease {
    const annotations = { ...lease.metadata?.annotations, ...this.#annotations };
    if (Object.keys(annotations).length === 0) return lease;
    return { ...lease, metadata: { ...lease.metadata, annotations } };
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
