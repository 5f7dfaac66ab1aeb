/** An MPIJob of each generation, named `pi` in the namespace `team`, with two workers of two slots. */
import type { MPIGeneration, MPIModel } from '../src/generations/mpi-model.ts';

export function modelOf(generation: MPIGeneration, others: Partial<MPIModel> = {}): MPIModel {
  return {
    name: 'pi',
    namespace: 'team',
    serviceName: 'pi',
    generation,
    transport: generation === 'v2beta1' ? 'ssh' : 'exec',
    implementation: 'OpenMPI',
    slots: 2,
    workers: 2,
    launcherComputes: false,
    sshAuthMountPath: '/root/.ssh',
    mainContainer: undefined,
    clusterDomain: 'cluster.local',
    ...others,
  };
}
