/** The pod of a worker: its template, plus what lets `mpirun` start processes there. */
import type { Container, PodSpec } from '@muster/job-api';
import { withMainContainer } from './main-container.ts';
import { withLimits } from './main-limits.ts';
import type { MPIModel } from '../generations/mpi-model.ts';
import { workerName } from '../config/object-names.ts';
import { withJobSearch, withPodName } from './pod-dns.ts';
import { withVolumes, workerVolumes } from './volumes.ts';

export interface WorkerPodOptions {
  readonly index: number;
  /** The name of the main container. */
  readonly main: string;
  /** Limits of the main container that follow from the job's number of GPUs: v1alpha1 alone has them. */
  readonly limits?: Readonly<Record<string, string>>;
}

/** Without environment and restart policy. */
export function workerPodSpec(spec: PodSpec, model: MPIModel, { index, main, limits = {} }: WorkerPodOptions): PodSpec {
  const named =
    model.transport === 'ssh' ? withJobSearch(withPodName(spec, model, workerName(model, index)), model) : spec;
  const started = withMainContainer(named, main, (container) => ({ ...container, ...commandOf(container, model) }));
  return withVolumes(withLimits(started, main, limits), main, workerVolumes(model));
}

/** What a worker runs until `mpirun` comes. */
function commandOf({ command, args }: Container, { generation }: MPIModel): Pick<Container, 'command' | 'args'> {
  switch (generation) {
    case 'v2beta1':
      return isEmpty(command) && isEmpty(args) ? { command: ['/usr/sbin/sshd', '-De'] } : {};
    // Arguments alone are meant for the image's entrypoint, which does not run.
    case 'v1':
      return isEmpty(command) ? SLEEP : {};
    // Launcher and workers share one template, and its command is the launcher's.
    case 'v1alpha1':
      return SLEEP;
  }
}

const SLEEP = { command: ['sleep'], args: ['365d'] };

function isEmpty(words: readonly string[] | undefined): boolean {
  return words === undefined || words.length === 0;
}
