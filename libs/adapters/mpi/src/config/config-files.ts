/** The data of the ConfigMap that MPI jobs mount: file names and what is in them. */
import { DISCOVER_HOSTS, HOSTFILE, KUBEXEC } from '../pods/container-paths.ts';
import { discoverHosts } from './discover-hosts.ts';
import { hostfile } from './hostfile.ts';
import { kubexecScript } from '../access/kubexec.ts';
import type { MPIModel } from '../generations/mpi-model.ts';

export interface RunningHosts {
  /** The indexes of the workers that run. */
  readonly running: readonly number[];
  /** The indexes of all workers. Default: the lowest. */
  readonly workers?: readonly number[] | undefined;
  /** As in `discoverHosts`. */
  readonly withSlots: boolean;
}

/** v1alpha1 knows no elastic jobs, and v2beta1 no `kubectl exec`. */
export function configFiles(model: MPIModel, { running, workers, withSlots }: RunningHosts): Record<string, string> {
  return {
    ...(model.transport === 'exec' && { [KUBEXEC]: kubexecScript(model) }),
    [HOSTFILE]: hostfile(model, workers),
    ...(model.generation !== 'v1alpha1' && { [DISCOVER_HOSTS]: discoverHosts(model, running, withSlots) }),
  };
}
