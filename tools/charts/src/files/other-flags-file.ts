/** `files/other-flags.yaml`: the operator's flags that no single value sets. `operator.extraArgs` may name them, and those that values set. */
import type { FrameworkName } from '@muster/job-api';
import { stringify } from 'yaml';

/** Flags that "operator-lib.args" computes from these values. */
export const BY_TEMPLATE: Readonly<Record<string, readonly string[]>> = {
  namespace: ['watch.scope', 'watch.namespaces'],
  'gang-scheduler-name': ['gangScheduling.scheduler', 'gangScheduling.schedulerName'],
  'gang-schedulers': ['gangScheduling.others'],
  'shutdown-timeout': ['operator.shutdownTimeoutSeconds'],
  record: ['recording.enabled'],
  'record-size': ['recording.sizeMiB'],
  'record-environment': ['recording.environmentValues'],
};

/** Why no value sets them. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  host: 'a pod listens on all its addresses',
  kubeconfig: 'a pod uses its own cluster and ServiceAccount',
  context: 'a pod has no kubeconfig',
  'job-network-policy': 'a RayCluster has spec.networkPolicy',
  'volcano-jobs': 'the framework has no plugin for Volcano Jobs',
  'pytorch-init-container-template-file': 'mount the file by extraVolumes',
};

const ONLY_OF: Readonly<Record<string, FrameworkName>> = { 'pytorch-init-container-template-file': 'pytorch-elastic' };

export function otherFlagsFile(framework: FrameworkName): string {
  const leftOut = Object.keys(LEFT_OUT).filter((flag) => (ONLY_OF[flag] ?? framework) === framework);
  return stringify([...Object.keys(BY_TEMPLATE), ...leftOut]);
}
