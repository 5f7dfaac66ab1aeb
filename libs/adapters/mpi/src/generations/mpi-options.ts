/** What the MPI adapter knows of a job beyond its roles, and what its operator is set to. */
import type { MPIModel } from './mpi-model.ts';

export interface MPIOptions extends MPIModel {
  /** Whether the launcher is made when all workers are ready, and not before. */
  readonly waitsForWorkers: boolean;
  /** Whether `discover_hosts.sh` of v2beta1 names the slots of each host, as Elastic Horovod reads them. */
  readonly discoversSlots: boolean;
  /** v1alpha1: limits of the pods that compute, which follow from the job's number of GPUs. */
  readonly limits: Readonly<Record<string, string>>;
  /** v1alpha1: the launcher runs on a node of the control plane. */
  readonly isLauncherOnMaster: boolean;
  /** The ServiceAccount that the launcher's template names. */
  readonly launcherAccount: string | undefined;
}

/** What holds for all jobs of the operator. */
export interface MPISettings {
  /** The cluster's domain in DNS. */
  readonly clusterDomain: string;
  /** The image of the init container that brings kubectl to launchers of v1 and v1alpha1, and waits for their workers. */
  readonly deliveryImage: string;
  /** Of v1alpha1: how many GPUs, or other processing units, a node has where the job does not say. */
  readonly gpusPerNode: number;
  readonly processingUnitsPerNode: number;
  /** Of v1alpha1: the resource that a processing unit is. */
  readonly processingResourceType: string;
  /** Of v1alpha1: whether the launcher is one of the pods that compute, or starts processes in others only. */
  readonly launcherComputes: boolean;
}

export const DEFAULT_MPI_SETTINGS: MPISettings = {
  clusterDomain: 'cluster.local',
  deliveryImage: 'muster.local/kubectl-delivery:1.37.2',
  gpusPerNode: 1,
  processingUnitsPerNode: 1,
  processingResourceType: 'nvidia.com/gpu',
  launcherComputes: true,
};
