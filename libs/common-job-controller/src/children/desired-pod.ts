/** Keeps the user's fields, except labels that identify the pod and the restart policy, which the role defines. */
import type { Container, Pod, PodSpec } from '@muster/job-api';
import type { FrameworkAdapter, Peers, PodAdditions } from '../contract/adapter.ts';
import type { Replica, ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { withSearch } from '../network/dns-search.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { ownerReference } from '../model/ownership.ts';
import { podNameOf } from '../model/pod-name.ts';
import { attemptLabel } from '../model/attempt.ts';
import { withRestarter } from '../pods/in-place.ts';
import { podRestartPolicy } from '../failures/restart-policy.ts';
import { searchOf, type ServiceNetwork } from '../network/service-network.ts';

export interface PodContext {
  /** Undefined if the framework manages the names of its pods. */
  readonly network: ServiceNetwork | undefined;
  readonly clusterDomain: string;
  readonly decorate?: GangScheduler['decorate'] | undefined;
  /** Init containers that wait for other roles. */
  readonly waits?: ReadonlyMap<ReplicaRole, readonly Container[]>;
}

const USUAL_DOMAIN = 'cluster.local';

export function desiredPod(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replica: Replica,
  context: PodContext,
  peers: Peers = peersOf(job, context),
): Pod {
  const { template, restartPolicy, restartsAsPods, containerName } = replica.role;
  const { network, clusterDomain, waits, decorate } = context;
  const name = podNameOf(job, replica);
  const { annotations, finalizers, labels } = template.metadata ?? {};
  const additions = adapter.pod(job, replica, peers);
  const roleWaits = waits?.get(replica.role) ?? [];
  const spec = withAdditions(template.spec ?? { containers: [] }, additions, roleWaits, containerName);
  // The template's own hostname and subdomain are kept.
  const inService = (subdomain: string) =>
    withSearch({ hostname: name, subdomain, ...spec }, searchOf(job, subdomain, clusterDomain));
  const placed = network?.mode === 'PerJob' ? inService(network.jobService) : spec;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: job.metadata.namespace,
      labels: { ...labels, ...adapter.labels.ofPod(job, replica), ...attemptLabel(job, replica.role) },
      ...((annotations ?? additions.annotations) && { annotations: { ...annotations, ...additions.annotations } }),
      ...(finalizers && { finalizers }),
      ownerReferences: [ownerReference(job)],
    },
    spec: { ...placed, restartPolicy: podRestartPolicy(restartPolicy, restartsAsPods) },
  };
  const whole = replica.role.restartsInPlace === true ? withRestarter(pod, containerName) : pod;
  return decorate?.(whole, job, replica, adapter) ?? whole;
}

/** @param waits each is skipped if the template has a container of its name */
function withAdditions(
  spec: PodSpec,
  { env = [], mainEnv = [], initContainers = [], shape = (whole) => whole }: PodAdditions,
  waits: readonly Container[],
  main: string,
): PodSpec {
  const own = spec.initContainers ?? [];
  const users = new Set([...own, ...spec.containers].map(({ name }) => name));
  // First, because the framework's own init containers have a time-out.
  const inits = [
    ...own.map(withTerminationMessage),
    ...waits.filter(({ name }) => !users.has(name)),
    ...initContainers,
  ];
  return shape({
    ...spec,
    containers: spec.containers.map((container) =>
      withEnv(withTerminationMessage(container), container.name === main ? [...mainEnv, ...env] : env),
    ),
    ...(inits.length > 0 && { initContainers: inits }),
  });
}

/** The end of the log is shown as the cause of a failure if the program writes no message. */
function withTerminationMessage(container: Container): Container {
  const { terminationMessagePolicy = 'FallbackToLogsOnError' } = container;
  return { ...container, terminationMessagePolicy };
}

/** Omits the default cluster domain, as Kubeflow's operator does. */
export function peersOf({ metadata }: TrainingJob, { network, clusterDomain }: PodContext): Peers {
  const service = network?.mode === 'PerJob' ? `.${network.jobService}` : '';
  const domain = clusterDomain === USUAL_DOMAIN ? '' : `.${clusterDomain}`;
  return {
    addressOf: (replica) => `${podNameOf({ metadata }, replica)}${service}.${metadata.namespace}.svc${domain}`,
  };
}

function withEnv(container: Container, env: NonNullable<PodAdditions['env']>): Container {
  const users = new Set(container.env?.map(({ name }) => name));
  const added = env.filter(({ name }) => !users.has(name));
  return added.length === 0 ? container : { ...container, env: [...(container.env ?? []), ...added] };
}
