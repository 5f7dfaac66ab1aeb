/** One Lease on the API server. Returns `undefined` if another process was first; throws all other errors. */
import { LEASES, type Lease, type ObjectKey } from '@muster/job-api';
import { isKubeError, type KubeClient, type KubeErrorReason } from '@muster/kube';

type LeaseSpec = NonNullable<Lease['spec']>;

export type LeaseClient = Pick<KubeClient, 'get' | 'create' | 'replace'>;

/** Set on the Lease by its holder, for others to read. */
export interface LeaseMarks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export class LeaseStore {
  readonly key: ObjectKey;
  #client: LeaseClient;
  #marks: LeaseMarks;

  /** @param marks merged into the Lease by every write */
  constructor(client: LeaseClient, key: ObjectKey, marks: LeaseMarks) {
    this.#client = client;
    this.key = key;
    this.#marks = marks;
  }

  read(signal: AbortSignal): Promise<Lease | undefined> {
    return unless(['NotFound'], this.#client.get(LEASES, this.key, { signal }));
  }

  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease | undefined> {
    const lease = this.#marked({ metadata: { ...this.key }, spec });
    return unless(['AlreadyExists'], this.#client.create(LEASES, lease, { signal }));
  }

  /** Undefined if the stored version differs from `lease`, or the Lease is gone. */
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
