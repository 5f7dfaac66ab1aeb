/** The names that pods of an ssh job have in DNS, which is what the hostfile calls them by (kubeflow/mpi-operator: newWorker). */
import { withSearch } from '@muster/common-job-controller';
import type { PodSpec } from '@muster/job-api';
import type { MPIModel } from '../generations/mpi-model.ts';

/** A template's own names are replaced: the hostfile would be wrong. */
export function withPodName(spec: PodSpec, model: MPIModel, name: string): PodSpec {
  return {
    ...spec,
    hostname: name,
    subdomain: model.serviceName,
    // A pod in the node's network asks the node's DNS otherwise, which knows no pods.
    ...(spec.hostNetwork === true && { dnsPolicy: 'ClusterFirstWithHostNet' }),
  };
}

/** With which bare pod names resolve: Hydra tells workers the launcher's hostname without its domain. */
export function withJobSearch(spec: PodSpec, { serviceName, namespace, clusterDomain }: MPIModel): PodSpec {
  return withSearch(spec, `${serviceName}.${namespace}.svc.${clusterDomain}`);
}
