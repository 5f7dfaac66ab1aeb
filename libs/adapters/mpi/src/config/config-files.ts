import { DISCOVER_HOSTS, HOSTFILE, KUBEXEC } from '../pods/container-paths.ts';
import { discoverHosts } from './discover-hosts.ts';
import { hostfile } from './hostfile.ts';
import { kubexecScript } from '../access/kubexec.ts';
import type { MPIModel } from '../generations/mpi-model.ts';

export interface RunningHosts {
  readonly running: readonly number[];
  /** The indexes of all workers. Default: 0 to n-1. */
  readonly workers?: readonly number[] | undefined;
  readonly withSlots: boolean;
}

/** v1alpha1 does not support elastic jobs, and v2beta1 does not use `kubectl exec`. */
export function configFiles(model: MPIModel, { running, workers, withSlots }: RunningHosts): Record<string, string> {
  return {
    ...(model.transport === 'exec' && { [KUBEXEC]: kubexecScript(model) }),
    [HOSTFILE]: hostfile(model, workers),
    ...(model.generation !== 'v1alpha1' && { [DISCOVER_HOSTS]: discoverHosts(model, running, withSlots) }),
  };
}
