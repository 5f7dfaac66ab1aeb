/** The Services that a job should have. Ports are the framework's container's, as in Kubeflow's operator. */
import type { ContainerPort, Service, ServicePort } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { Replica, TrainingJob } from '../model/training-job.ts';
import { replicaLabels } from '../model/labels.ts';
import { ownerReference } from '../model/ownership.ts';
import { podNameOf } from '../model/pod-name.ts';
import type { ServiceNetwork } from './service-network.ts';

export function desiredServices(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replicas: readonly Replica[],
  network: ServiceNetwork,
): Service[] {
  if (network.mode === 'PerReplica') return replicas.map((replica) => replicaService(adapter, job, replica));
  const addressed = adapter.network?.addressed(job);
  const jobService = headless(job, network.jobService, adapter.labels.ofJob(job.metadata.name), []);
  return addressed === undefined ? [jobService] : [jobService, replicaService(adapter, job, addressed)];
}

function replicaService(adapter: FrameworkAdapter, job: TrainingJob, replica: Replica): Service {
  return headless(job, podNameOf(job, replica), replicaLabels(adapter, job, replica), servicePorts(replica));
}

function headless(job: TrainingJob, name: string, labels: Record<string, string>, ports: ServicePort[]): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: job.metadata.namespace, labels, ownerReferences: [ownerReference(job)] },
    spec: {
      clusterIP: 'None',
      selector: labels,
      // Workers look their peers up while those are still starting.
      publishNotReadyAddresses: true,
      ...(ports.length > 0 && { ports }),
    },
  };
}

/**
 * A Service takes each port and protocol once, and wants distinct names when there are several: an unnamed one is named
 * after its number, and after its protocol where that name is taken.
 */
function servicePorts({ role }: Replica): ServicePort[] {
  const container = role.template.spec?.containers.find(({ name }) => name === role.containerName);
  const ports = new Map((container?.ports ?? []).toReversed().map((port) => [portKey(port), port]));
  const names = new Set<string>();
  return [...ports.values()].toReversed().map(({ name, containerPort, protocol }) => {
    const byNumber = `port-${containerPort}`;
    const chosen = name ?? (names.has(byNumber) ? `${byNumber}-${protocol?.toLowerCase()}` : byNumber);
    names.add(chosen);
    return {
      ...((name !== undefined || ports.size > 1) && { name: chosen }),
      port: containerPort,
      ...(protocol && { protocol }),
    };
  });
}

function portKey({ containerPort, protocol = 'TCP' }: ContainerPort): string {
  return `${containerPort}/${protocol}`;
}
