/**
 * One Lease on the API server. What another replica did first is an answer here (`undefined`), not an error; every other
 * failure is thrown.
 */
import { LEASES, type Lease, type ObjectKey } from '@muster/job-api';
import { isKubeError, type KubeClient, type KubeErrorReason } from '@muster/kube';

type LeaseSpec = NonNullable<Lease['spec']>;

/** What it takes to read and write a Lease. */
export type LeaseClient = Pick<KubeClient, 'get' | 'create' | 'replace'>;

/** What its holder writes on a Lease about itself, for others to read. */
export interface LeaseMarks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export class LeaseStore {
  readonly key: ObjectKey;
  #client: LeaseClient;
  #marks: LeaseMarks;

  /** @param marks what every write puts on the Lease, beside what is there */
  constructor(client: LeaseClient, key: ObjectKey, marks: LeaseMarks) {
    this.#client = client;
    this.key = key;
    this.#marks = marks;
  }

  /** Undefined when there is none. */
  read(signal: AbortSignal): Promise<Lease | undefined> {
    return unless(['NotFound'], this.#client.get(LEASES, this.key, { signal }));
  }

  /** Undefined when another was quicker. */
  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease | undefined> {
    const lease = this.#marked({ metadata: { ...this.key }, spec });
    return unless(['AlreadyExists'], this.#client.create(LEASES, lease, { signal }));
  }

  /** Writes over exactly the version that `lease` is; undefined when another is stored by now, or none. */
  replace(lease: Lease, spec: LeaseSpec, signal: AbortSignal): Promise<Lease | undefined> {
    return unless(['Conflict', 'NotFound'], this.#client.replace(LEASES, this.#marked({ ...lease, spec }), { signal }));
  }

  isSame(lease: Lease): boolean {
    return lease.metadata?.name === this.key.name && lease.metadata?.namespace === this.key.namespace;
  }

  #marked(lease: Lease): Lease {
    const labels = { ...lease.metadata?.labels, ...this.#marks.labels };
    const annotations = { ...lease.metadata?.annotations, ...this.#marks.annotations };
    return {
      ...lease,
      metadata: {
        ...lease.metadata,
        ...(Object.keys(labels).length > 0 && { labels }),
        ...(Object.keys(annotations).length > 0 && { annotations }),
      },
    };
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
