/** What an MPIJob says, whichever generation of the API it was written for: all that its pods and objects follow from. */

export type MPIGeneration = 'v1alpha1' | 'v1' | 'v2beta1';

export type MPIImplementation = 'OpenMPI' | 'Intel' | 'MPICH';

export interface MPIModel {
  readonly name: string;
  readonly namespace: string;
  /** Of the Service by which pods have names in DNS; of no meaning under `exec`. */
  readonly serviceName: string;
  readonly generation: MPIGeneration;
  /** How `mpirun` reaches the workers: v2beta1 by ssh, the older generations by `kubectl exec`. */
  readonly transport: 'ssh' | 'exec';
  /** OpenMPI where the generation has no choice. */
  readonly implementation: MPIImplementation;
  /** Processes per host, as hostfile and defaults tell `mpirun`. */
  readonly slots: number;
  /** Worker pods. A launcher that computes is not among them. */
  readonly workers: number;
  /** Whether the launcher's host takes processes as well; it is then the first line of the hostfile. */
  readonly launcherComputes: boolean;
  /** Where the SSH keys are mounted; of no meaning under `exec`. */
  readonly sshAuthMountPath: string;
  /** The workers' container that `kubectl exec` enters; undefined leaves it to kubectl, which takes the first. */
  readonly mainContainer: string | undefined;
  /** The cluster's domain in DNS. `cluster.local`, which most have, is left out of host names. */
  readonly clusterDomain: string;
}
