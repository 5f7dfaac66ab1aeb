/** DNS names of pods of an ssh job, as in the hostfile (kubeflow/mpi-operator: newWorker). */
import { withSearch } from '@muster/common-job-controller';
import type { PodSpec } from '@muster/job-api';
import type { MPIModel } from '../generations/mpi-model.ts';

/** Replaces the template's hostname and subdomain, which would not match the hostfile. */
export function withPodName(spec: PodSpec, model: MPIModel, name: string): PodSpec {
  return {
    ...spec,
    hostname: name,
    subdomain: model.serviceName,
    // By default a pod in the node's network uses the node's DNS, which does not resolve names of pods.
    ...(spec.hostNetwork === true && { dnsPolicy: 'ClusterFirstWithHostNet' }),
  };
}

/** Makes bare pod names resolve: Hydra passes the launcher's hostname to workers without its domain. */
export function withJobSearch(spec: PodSpec, { serviceName, namespace, clusterDomain }: MPIModel): PodSpec {
  return withSearch(spec, `${serviceName}.${namespace}.svc.${clusterDomain}`);
}
