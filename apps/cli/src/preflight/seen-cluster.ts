/** What preflight reads from a cluster, and what it finds. */
import type { CustomResourceDefinition, KubeObject, Lease } from '@muster/job-api';

/** One problem, and the command that fixes it. */
export interface Finding {
  readonly problem: string;
  readonly fix: string;
}

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

export interface Webhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly clientConfig?: { readonly service?: { readonly namespace: string; readonly name: string } };
  readonly objectSelector?: {
    readonly matchLabels?: Readonly<Record<string, string>>;
    readonly matchExpressions?: readonly { readonly key: string }[];
  };
  readonly rules?: readonly { readonly apiGroups?: readonly string[]; readonly resources?: readonly string[] }[];
}

export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly Container[] } };
  };
}

interface Container {
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** The release to install. */
export interface Release {
  readonly name: string;
  readonly namespace: string;
  /** The namespaces that it will watch; empty for all. */
  readonly watched: readonly string[];
}

export interface ClusterState {
  /** The existing CRDs of the framework's kinds. */
  readonly crds: readonly CustomResourceDefinition[];
  /** Each with the plural of its kind: `validatingwebhookconfigurations`. */
  readonly webhooks: readonly { readonly plural: string; readonly configuration: WebhookConfiguration }[];
  /** Services with a ready endpoint, as `namespace/name`. */
  readonly answering: ReadonlySet<string>;
  readonly deployments: readonly Deployment[];
  /** Leases of operators; undefined if they cannot be read. */
  readonly leases: readonly Lease[] | undefined;
  /** The time of reading. */
  readonly nowMs: number;
}
