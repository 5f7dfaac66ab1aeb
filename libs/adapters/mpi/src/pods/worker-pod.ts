/** The pod of a worker: its template with what `mpirun` needs to start processes there. */
import type { Container, PodSpec } from '@muster/job-api';
import { withMainContainer } from './main-container.ts';
import { withLimits } from './main-limits.ts';
import type { MPIModel } from '../generations/mpi-model.ts';
import { workerName } from '../config/object-names.ts';
import { withJobSearch, withPodName } from './pod-dns.ts';
import { withVolumes, workerVolumes } from './volumes.ts';

export interface WorkerPodOptions {
  readonly index: number;
  readonly main: string;
  /** v1alpha1: limits of the main container from the job's number of GPUs. */
  readonly limits?: Readonly<Record<string, string>>;
}

/** Without environment and restart policy. */
export function workerPodSpec(spec: PodSpec, model: MPIModel, { index, main, limits = {} }: WorkerPodOptions): PodSpec {
  const named =
    model.transport === 'ssh' ? withJobSearch(withPodName(spec, model, workerName(model, index)), model) : spec;
  const started = withMainContainer(named, main, (container) => ({ ...container, ...commandOf(container, model) }));
  return withVolumes(withLimits(started, main, limits), main, workerVolumes(model));
}

/** The command that waits for `mpirun`. */
function commandOf({ command, args }: Container, { generation }: MPIModel): Pick<Container, 'command' | 'args'> {
  switch (generation) {
    case 'v2beta1':
      return isEmpty(command) && isEmpty(args) ? { command: ['/usr/sbin/sshd', '-De'] } : {};
    // Arguments without a command are for the image's entrypoint, which does not run.
    case 'v1':
      return isEmpty(command) ? SLEEP : {};
    // Launcher and workers share one template, and its command is the launcher's.
    case 'v1alpha1':
      return SLEEP;
  }
}

const SLEEP = { command: ['sleep'], args: ['365d'] };

function isEmpty(list: readonly string[] | undefined): boolean {
  return list === undefined || list.length === 0;
}
