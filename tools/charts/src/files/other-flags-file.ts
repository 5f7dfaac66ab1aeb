/** `files/other-flags.yaml`: the operator's flags that no single value sets. `operator.extraArgs` may name them, and those that values set. */
import type { FrameworkName } from '@muster/job-api';
import { stringify } from 'yaml';

/** Set by what several values say together, see "operator-lib.args". */
export const BY_TEMPLATE = ['namespace', 'gang-scheduler-name', 'gang-schedulers', 'shutdown-timeout', 'record'];

/** Why no value sets them. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  host: 'a pod is asked at its own address',
  kubeconfig: 'a pod works on its own cluster, by its own account',
  context: 'as kubeconfig',
  'job-network-policy': 'of Ray: its RayClusters say it themselves; all others have a value',
  'volcano-jobs': 'of a framework without a plugin for Volcano Jobs, whose operator refuses it; all others have a value',
  'pytorch-init-container-template-file': 'a file: extraVolumes bring it, operator.extraArgs name it',
};

const ONLY_OF: Readonly<Record<string, FrameworkName>> = { 'pytorch-init-container-template-file': 'pytorch-elastic' };

export function otherFlagsFile(framework: FrameworkName): string {
  const leftOut = Object.keys(LEFT_OUT).filter((flag) => (ONLY_OF[flag] ?? framework) === framework);
  return stringify([...BY_TEMPLATE, ...leftOut]);
}
