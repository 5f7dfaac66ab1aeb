/** The pod of a launcher: its template with what `mpirun` needs to reach the workers. The command is the user's. */
import type { PodSpec } from '@muster/job-api';
import { launcherAccount } from '../access/access.ts';
import { deliveryContainer } from './delivery-container.ts';
import { onControlPlane } from './launcher-node.ts';
import { withLimits, withoutResources } from './main-limits.ts';
import type { MPIModel } from '../generations/mpi-model.ts';
import { launcherName } from '../config/object-names.ts';
import { withPodName } from './pod-dns.ts';
import { launcherVolumes, withVolumes } from './volumes.ts';

export interface LauncherPodOptions {
  readonly main: string;
  /** The image of the init container with kubectl; unused with `ssh`. */
  readonly deliveryImage: string;
  /** v1alpha1: on a control plane node. */
  readonly onMaster?: boolean;
  /** v1alpha1: limits of the main container from the job's number of GPUs, if the launcher computes. */
  readonly limits?: Readonly<Record<string, string>>;
}

/** Without environment and restart policy. */
export function launcherPodSpec(spec: PodSpec, model: MPIModel, options: LauncherPodOptions): PodSpec {
  const { main } = options;
  const reaching =
    model.transport === 'ssh' ? withPodName(spec, model, launcherName(model)) : withKubectl(spec, model, options);
  const shaped = model.generation === 'v1alpha1' ? ofSharedTemplate(reaching, model, options) : reaching;
  return withVolumes(shaped, main, launcherVolumes(model));
}

function withKubectl(spec: PodSpec, model: MPIModel, { main, deliveryImage }: LauncherPodOptions): PodSpec {
  const trainer = spec.containers.find(({ name }) => name === main);
  return {
    ...spec,
    serviceAccountName: launcherAccount(model, spec),
    initContainers: [...(spec.initContainers ?? []), deliveryContainer(model, deliveryImage, trainer)],
  };
}

/** v1alpha1 has one template, with the resources of a worker. */
function ofSharedTemplate(spec: PodSpec, { launcherComputes }: MPIModel, options: LauncherPodOptions): PodSpec {
  const { main, onMaster = false, limits = {} } = options;
  const sized = launcherComputes ? withLimits(spec, main, limits) : withoutResources(spec, main);
  return onMaster ? onControlPlane(sized) : sized;
}
