/**
 * The pod of one replica: the user's template, plus what the framework and the network of the job need. What the user
 * has set stays as it is, but for the labels that Muster finds its pods by and the restart policy, which belongs to the
 * role.
 */
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
  /** Undefined where the framework's pods go by names of its own. */
  readonly network: ServiceNetwork | undefined;
  /** The cluster's DNS domain, `cluster.local` in most. */
  readonly clusterDomain: string;
  /** What makes it one of the job's gang. */
  readonly decorate?: GangScheduler['decorate'] | undefined;
  /** The init containers by which pods of a role wait for others. Default: none wait. */
  readonly waits?: (role: ReplicaRole) => readonly Container[];
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
  const name = podNameOf(job, replica);
  const { annotations, finalizers, labels } = template.metadata ?? {};
  const additions = adapter.pod(job, replica, peers);
  const waits = context.waits?.(replica.role) ?? [];
  const spec = withAdditions(template.spec ?? { containers: [] }, { ...additions, waits }, containerName);
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
    spec: {
      ...(context.network?.mode === 'PerJob'
        ? inJobService(spec, name, job, context.network.jobService, context.clusterDomain)
        : spec),
      restartPolicy: podRestartPolicy(restartPolicy, restartsAsPods),
    },
  };
  const whole = replica.role.restartsInPlace === true ? withRestarter(pod, containerName) : pod;
  return context.decorate?.(whole, job, replica, adapter) ?? whole;
}

interface Additions extends PodAdditions {
  /** One that has the name of a container of the template is left out. */
  readonly waits: readonly Container[];
}

function withAdditions(
  spec: PodSpec,
  { env = [], mainEnv = [], waits, initContainers = [], shape = (whole) => whole }: Additions,
  main: string,
): PodSpec {
  const own = spec.initContainers ?? [];
  const users = new Set([...own, ...spec.containers].map(({ name }) => name));
  // First: what the framework waits for itself has a time-out of its own.
  const inits = [...own.map(withLastWords), ...waits.filter(({ name }) => !users.has(name)), ...initContainers];
  return shape({
    ...spec,
    containers: spec.containers.map((container) =>
      withEnv(withLastWords(container), container.name === main ? [...mainEnv, ...env] : env),
    ),
    ...(inits.length > 0 && { initContainers: inits }),
  });
}

/** What it writes last tells why it failed, where the program writes no message of its own. The status shows it. */
function withLastWords(container: Container): Container {
  const { terminationMessagePolicy = 'FallbackToLogsOnError' } = container;
  return { ...container, terminationMessagePolicy };
}

/** The cluster's domain is left out where it is the usual one: Kubeflow's operator writes addresses so. */
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

/** `spec` with the names by which the job's Service finds the pod. A template that has its own names keeps them. */
function inJobService(
  spec: PodSpec,
  name: string,
  { metadata }: TrainingJob,
  jobService: string,
  clusterDomain: string,
): PodSpec {
  const named = { hostname: name, subdomain: jobService, ...spec };
  return withSearch(named, searchOf(metadata, jobService, clusterDomain));
}
