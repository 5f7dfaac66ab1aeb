/** What preflight reads of a cluster, and what it finds. */
import type { CustomResourceDefinition, KubeObject, Lease } from '@muster/job-api';

/** One thing in the way, and the command that mends it. */
export interface Finding {
  readonly what: string;
  readonly mend: string;
}

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly failurePolicy?: string;
    readonly clientConfig?: { readonly service?: { readonly namespace: string; readonly name: string } };
    readonly rules?: readonly { readonly apiGroups?: readonly string[]; readonly resources?: readonly string[] }[];
  }[];
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

/** What is to be installed. */
export interface Release {
  readonly name: string;
  readonly namespace: string;
  /** The namespaces that it is to look after; empty for all of them. */
  readonly watched: readonly string[];
}

export interface SeenCluster {
  /** Those of the framework's kinds that are there. */
  readonly crds: readonly CustomResourceDefinition[];
  /** Each with the plural of its own kind: `validatingwebhookconfigurations`. */
  readonly webhooks: readonly { readonly plural: string; readonly configuration: WebhookConfiguration }[];
  /** Services that have an endpoint which is ready, as `namespace/name`. */
  readonly answering: ReadonlySet<string>;
  readonly deployments: readonly Deployment[];
  /** Those of operators; undefined where they could not be read. */
  readonly leases: readonly Lease[] | undefined;
  /** When it was looked. */
  readonly nowMs: number;
}
