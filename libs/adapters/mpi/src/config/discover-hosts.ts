/**
 * The script from which elastic Horovod gets the running hosts (kubeflow/mpi-operator and kubeflow/training-operator:
 * updateDiscoverHostsInConfigMap). Its output equals upstream's byte for byte, except for the order: upstream lists
 * worker 10 before worker 2.
 */
import { hostsOf } from './host-names.ts';
import type { MPIModel } from '../generations/mpi-model.ts';

/**
 * The running workers in numeric order, after the launcher if it computes. `withSlots` adds `:<slots>` to the hosts of
 * v2beta1, which Horovod requires unless it gets `--slots`; the older generations always have it.
 */
export function discoverHosts(model: MPIModel, running: readonly number[], withSlots: boolean): string {
  const workers = running.toSorted((a, b) => a - b);
  const suffix = withSlots || model.transport === 'exec' ? `:${model.slots}` : '';
  const lines = hostsOf(model, workers).map((host) => `echo ${host}${suffix}`);
  return model.transport === 'ssh' ? lastLineEnded(lines) : lastLineOpen(lines, model.launcherComputes);
}

function lastLineEnded(lines: readonly string[]): string {
  return ['#!/bin/sh', ...lines, ''].join('\n');
}

/** v1 ends no line with a line feed except the launcher's, which is followed by a blank line. */
function lastLineOpen(lines: readonly string[], launcherComputes: boolean): string {
  return ['#!/bin/sh', ...lines.map((text, at) => (launcherComputes && at === 0 ? `${text}\n` : text))].join('\n');
}
