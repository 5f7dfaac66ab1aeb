/** `files/other-flags.yaml`: flags of the operator without a value of their own. `operator.extraArgs` accepts these and the flags of values. */
import type { FrameworkName } from '@muster/job-api';
import { stringify } from 'yaml';

/** Set from several values in "operator-lib.args". */
export const BY_TEMPLATE = ['namespace', 'gang-scheduler-name', 'gang-schedulers', 'shutdown-timeout', 'record'];

/** Flags without a value, with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  host: 'a pod listens on its own address',
  kubeconfig: 'a pod uses its own cluster and ServiceAccount',
  context: 'as kubeconfig',
  'job-network-policy': 'Ray only: RayClusters have a field for it; all others have a value',
  'volcano-jobs': 'frameworks without a plugin for Volcano Jobs, whose operators reject it; all others have a value',
  'pytorch-init-container-template-file': 'a file: mount it with extraVolumes, name it in operator.extraArgs',
};

const ONLY_OF: Readonly<Record<string, FrameworkName>> = { 'pytorch-init-container-template-file': 'pytorch-elastic' };

export function otherFlagsFile(framework: FrameworkName): string {
  const leftOut = Object.keys(LEFT_OUT).filter((flag) => (ONLY_OF[flag] ?? framework) === framework);
  return stringify([...Object.keys(BY_TEMPLATE), ...leftOut]);
}
