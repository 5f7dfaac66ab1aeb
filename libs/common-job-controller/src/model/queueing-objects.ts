/** The cluster-scoped objects by which Kueue queues jobs. */
import type { KubeObject, PodSpec } from '@muster/job-api';

export type Tolerations = NonNullable<PodSpec['tolerations']>;

export interface ResourceFlavor extends KubeObject {
  readonly spec?: { readonly nodeLabels?: Readonly<Record<string, string>>; readonly tolerations?: Tolerations };
}

export interface PriorityClassObject extends KubeObject {
  readonly value?: number;
}

export interface QueueingObjects {
  readonly flavors: readonly ResourceFlavor[];
  readonly workloadPriorityClasses: readonly PriorityClassObject[];
  readonly priorityClasses: readonly PriorityClassObject[];
}
