/** An MPIJob of any generation, with everything from which its pods and objects derive. */

export type MPIGeneration = 'v1alpha1' | 'v1' | 'v2beta1';

export type MPIImplementation = 'OpenMPI' | 'Intel' | 'MPICH';

export interface MPIModel {
  readonly name: string;
  readonly namespace: string;
  /** The Service for the pods' DNS names; unused with `exec`. */
  readonly serviceName: string;
  readonly generation: MPIGeneration;
  /** v2beta1 uses ssh, the older generations `kubectl exec`. */
  readonly transport: 'ssh' | 'exec';
  /** OpenMPI for generations without a choice. */
  readonly implementation: MPIImplementation;
  /** Processes per host, for hostfile and defaults of `mpirun`. */
  readonly slots: number;
  /** Worker pods, without a launcher that computes. */
  readonly workers: number;
  /** The launcher's host runs processes as well; it is the first line of the hostfile. */
  readonly launcherComputes: boolean;
  /** Mount path of the SSH keys; unused with `exec`. */
  readonly sshAuthMountPath: string;
  /** The workers' container for `kubectl exec`; undefined: kubectl's default, the first. */
  readonly mainContainer: string | undefined;
  /** `cluster.local`, the default of Kubernetes, is left out of host names. */
  readonly clusterDomain: string;
}
