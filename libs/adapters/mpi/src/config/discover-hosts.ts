/**
 * The script that elastic Horovod calls for the hosts that run now (kubeflow/mpi-operator and kubeflow/training-operator:
 * updateDiscoverHostsInConfigMap). To the byte as upstream prints it, but for the order: there worker 10 comes before
 * worker 2.
 */
import { hostsOf } from './host-names.ts';
import type { MPIModel } from '../generations/mpi-model.ts';

/**
 * The workers of these indexes, in numeric order, behind the launcher if that computes. `withSlots` adds `:<slots>` to the
 * hosts of v2beta1, which Horovod expects unless it is given `--slots`; the older generations always have it.
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

/** v1 ends no line but the launcher's own, after which a blank one follows. */
function lastLineOpen(lines: readonly string[], launcherComputes: boolean): string {
  return ['#!/bin/sh', ...lines.map((text, at) => (launcherComputes && at === 0 ? `${text}\n` : text))].join('\n');
}
