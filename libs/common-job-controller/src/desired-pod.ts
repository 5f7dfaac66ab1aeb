/**
 * The pod of one replica: the user's template, plus what the framework and the network of the job need. What the user
 * has set stays as it is, but for the labels that Muster finds its pods by and the restart policy, which belongs to the
 * role.
 */
import { replicaName, type Container, type Pod, type PodSpec } from '@muster/job-api';
import type { FrameworkAdapter, Peers, PodAdditions, Replica, TrainingJob } from './adapter.ts';
import type { GangScheduler } from './gang/gang-scheduler.ts';
import { podLabels } from './labels.ts';
import { ownerReference } from './ownership.ts';
import { podRestartPolicy } from './restart-policy.ts';
import type { ServiceNetwork } from './service-network.ts';

export interface PodSurroundings {
  readonly network: ServiceNetwork;
  /** The cluster's DNS domain, `cluster.local` in most. */
  readonly clusterDomain: string;
  readonly gang?: GangScheduler | undefined;
}

const USUAL_DOMAIN = 'cluster.local';

export function desiredPod(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replica: Replica,
  surroundings: PodSurroundings,
  peers: Peers = peersOf(job, surroundings),
): Pod {
  const { template, restartPolicy } = replica.role;
  const name = replicaName(job.metadata.name, replica.role.name, replica.index);
  const { annotations, finalizers, labels } = template.metadata ?? {};
  const additions = adapter.pod(job, replica, peers);
  const spec = withAdditions(template.spec ?? { containers: [] }, additions, adapter.containerName);
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: job.metadata.namespace,
      labels: { ...labels, ...podLabels(adapter, job, replica) },
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [ownerReference(job)],
    },
    spec: {
      ...(surroundings.network.mode === 'PerJob' ? inJobService(spec, name, job, surroundings) : spec),
      restartPolicy: podRestartPolicy(restartPolicy),
    },
  };
  return surroundings.gang?.decorate(pod, job, replica) ?? pod;
}

function withAdditions(
  spec: PodSpec,
  { env = [], mainEnv = [], initContainers = [] }: PodAdditions,
  main: string,
): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map((container) =>
      withEnv(container, container.name === main ? [...mainEnv, ...env] : env),
    ),
    ...(initContainers.length > 0 && { initContainers: [...(spec.initContainers ?? []), ...initContainers] }),
  };
}

/** The cluster's domain is left out where it is the usual one: Kubeflow's operator writes addresses so. */
export function peersOf({ metadata }: TrainingJob, { network, clusterDomain }: PodSurroundings): Peers {
  const service = network.mode === 'PerJob' ? `.${network.jobService}` : '';
  const domain = clusterDomain === USUAL_DOMAIN ? '' : `.${clusterDomain}`;
  return {
    addressOf: ({ role, index }) =>
      `${replicaName(metadata.name, role.name, index)}${service}.${metadata.namespace}.svc${domain}`,
  };
}

function withEnv(container: Container, env: NonNullable<PodAdditions['env']>): Container {
  const users = new Set(container.env?.map(({ name }) => name));
  const added = env.filter(({ name }) => !users.has(name));
  return added.length === 0 ? container : { ...container, env: [...(container.env ?? []), ...added] };
}

/** `spec` with the names by which the job's Service finds the pod. A template that has its own names keeps them. */
function inJobService(
  spec: PodSpec,
  name: string,
  { metadata }: TrainingJob,
  { network, clusterDomain }: PodSurroundings,
): PodSpec {
  const search = `${network.jobService}.${metadata.namespace}.svc.${clusterDomain}`;
  const searches = spec.dnsConfig?.searches ?? [];
  return {
    hostname: name,
    subdomain: network.jobService,
    ...spec,
    dnsConfig: { ...spec.dnsConfig, searches: searches.includes(search) ? searches : [...searches, search] },
  };
}
