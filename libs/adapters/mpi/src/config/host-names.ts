import type { MPIModel } from '../generations/mpi-model.ts';
import { launcherName, workerName } from './object-names.ts';

const USUAL_DOMAIN = 'cluster.local';

/**
 * For ssh the DNS name `<pod>.<service>.<namespace>.svc`, with the cluster's domain unless it is the default; for
 * `kubectl exec` the pod's name. The launcher of v1alpha1 is the pod of a Job with a generated name: if it computes,
 * its host is `localhost`.
 */
export function hostOf(model: MPIModel, pod: 'launcher' | number): string {
  if (pod === 'launcher' && model.generation === 'v1alpha1' && model.launcherComputes) return 'localhost';
  const name = pod === 'launcher' ? launcherName(model) : workerName(model, pod);
  if (model.transport === 'exec') return name;
  const domain = model.clusterDomain === USUAL_DOMAIN ? '' : `.${model.clusterDomain}`;
  return `${name}.${model.serviceName}.${model.namespace}.svc${domain}`;
}

/** The hosts of these workers in order, after the launcher if it computes. */
export function hostsOf(model: MPIModel, workers: readonly number[]): string[] {
  const launcher = model.launcherComputes ? [hostOf(model, 'launcher')] : [];
  return [...launcher, ...workers.map((index) => hostOf(model, index))];
}
