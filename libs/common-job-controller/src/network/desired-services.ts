import type { Service, ServicePort } from '@muster/job-api';
import type { Replica, TrainingJob } from '../model/training-job.ts';
import { replicaLabels } from '../contract/labels.ts';
import { ownerReference } from '../model/ownership.ts';
import { podNameOf } from '../model/pod-name.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { ServiceMembers } from './endpoint-slices.ts';
import type { ServiceNetwork } from './service-network.ts';
import type { JobPlanContext } from '../world/plan-context.ts';

export function desiredServices(context: JobPlanContext, network: ServiceNetwork): ServiceMembers[] {
  const { adapter, job } = context;
  const { wanted } = context.replicas;
  const isSelecting = network.mode === 'PerReplica';
  const ofReplica = (replica: ReplicaPod): ServiceMembers => {
    const more = { labels: replicaLabels(adapter, job, replica), ports: servicePorts(replica), isSelecting };
    return { service: headless(job, podNameOf(job, replica), more), replicas: [replica] };
  };
  if (isSelecting) return wanted.map(ofReplica);
  const labels = adapter.labels.ofJob(job.metadata.name);
  const jobService = headless(job, network.jobService, { labels, ports: [], isSelecting });
  const addressed = adapter.network?.addressed(job);
  const leader = wanted.filter(({ role, index }) => role === addressed?.role && index === addressed.index);
  return [{ service: jobService, replicas: wanted }, ...leader.map(ofReplica)];
}

interface Headless {
  readonly labels: Record<string, string>;
  readonly ports: ServicePort[];
  /** Whether Kubernetes selects the pods by these labels. Otherwise Muster writes the EndpointSlices. */
  readonly isSelecting: boolean;
}

function headless(job: TrainingJob, name: string, { labels, ports, isSelecting }: Headless): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: job.metadata.namespace, labels, ownerReferences: [ownerReference(job)] },
    spec: {
      clusterIP: 'None',
      ...(isSelecting && { selector: labels }),
      // Workers resolve their peers' names while these still start.
      publishNotReadyAddresses: true,
      ...(ports.length > 0 && { ports }),
    },
  };
}

/** A Service accepts each port and protocol once, and several ports need distinct names. */
function servicePorts({ role }: Replica): ServicePort[] {
  const container = role.template.spec?.containers.find(({ name }) => name === role.containerName);
  const keyed = (container?.ports ?? []).map(
    (port) => [`${port.containerPort}/${port.protocol ?? 'TCP'}`, port] as const,
  );
  const ports = [...new Map(keyed.toReversed()).values()].toReversed();
  const names = new Set(ports.map(({ name }) => name));
  return ports.map(({ name = '', containerPort, protocol }) => {
    const byNumber = `port-${containerPort}`;
    const chosen = name || (names.has(byNumber) ? `${byNumber}-${(protocol ?? 'TCP').toLowerCase()}` : byNumber);
    names.add(chosen);
    return {
      ...((name !== '' || ports.length > 1) && { name: chosen }),
      port: containerPort,
      ...(protocol && { protocol }),
    };
  });
}
