import type { MPIModel } from './mpi-model.ts';

export interface MPIOptions extends MPIModel {
  readonly waitsForWorkers: boolean;
  /** `discover_hosts.sh` of v2beta1 has the slots of each host, as Elastic Horovod requires. */
  readonly discoversSlots: boolean;
  /** v1alpha1: limits of pods that compute, from the job's number of GPUs. */
  readonly limits: Readonly<Record<string, string>>;
  /** v1alpha1: the launcher runs on a control plane node. */
  readonly isLauncherOnMaster: boolean;
  readonly launcherAccount: string | undefined;
}

export interface MPISettings {
  readonly clusterDomain: string;
  /** The image of the init container with kubectl, which also waits for the workers of v1 and v1alpha1. */
  readonly deliveryImage: string;
  /** v1alpha1: GPUs, or other processing units, per node, unless the job sets them. */
  readonly gpusPerNode: number;
  readonly processingUnitsPerNode: number;
  readonly processingResourceType: string;
  /** v1alpha1: the launcher runs processes, or only starts them in the workers. */
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
