/**
 * Roles that wait for others in their pods (`runPolicy.startOrder`, `initContainer`): all pods are made at once, and before the
 * program of one begins, its init containers see the pods that it depends on take connections.
 */
import type { Container } from '@muster/job-api';
import type { FrameworkAdapter, Peers } from '../contract/adapter.ts';
import { orderOf } from '../model/start-order.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { programImage } from './program-image.ts';
import { waitContainer } from './wait-container.ts';
import type { Scheduling } from '../contract/facets.ts';

const DEFAULT_TIMEOUT_SECONDS = 300;

/** Where there is no other number: that of the user `nonroot` of many images. */
const SOME_USER = 65_532;

export interface AwaitedPods {
  /** All that the job is to have, in the order of their indexes. */
  readonly replicas: readonly Pick<ReplicaPod, 'role' | 'index' | 'state'>[];
  readonly peers: Peers;
  /** What the init containers run. Default: the image of the role's own program. */
  readonly image?: string | undefined;
}

/** The init containers of the role's pods, one for each role that it depends on. A role with nothing left to wait for has none. */
export function startWaits(
  adapter: Pick<FrameworkAdapter, 'scheduling'>,
  job: TrainingJob,
  waiting: ReplicaRole,
  { replicas, peers, image }: AwaitedPods,
): Container[] {
  const { dependsOn = [], initContainer } = orderOf(job, waiting) ?? {};
  if (initContainer === undefined) return [];
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = initContainer;
  return job.roles.flatMap((role) => {
    const port = initContainer.port ?? role.port;
    if (!dependsOn.includes(role.name) || port === undefined) return [];
    const own = replicas.filter((replica) => replica.role === role);
    // One that has succeeded listens no more, and its name leads nowhere.
    const going = own.filter(({ state }) => state !== 'succeeded');
    const least = awaitedReplicas(adapter, job, role) - (own.length - going.length);
    const hosts = going.slice(0, Math.max(0, least)).map((replica) => peers.addressOf(replica));
    if (hosts.length === 0) return [];
    const name = role.name.toLowerCase();
    const runs = image === undefined ? programImage(waiting) : { image };
    const securityContext = withoutRights(waiting);
    return [waitContainer({ role: name, hosts, port, timeoutSeconds, image: runs, securityContext })];
  });
}

/** What a namespace that restricts pods asks for. It may allow certain users alone: where the template names one, it is that. */
function withoutRights({ template, containerName }: ReplicaRole): NonNullable<Container['securityContext']> {
  const { securityContext, containers = [] } = template.spec ?? {};
  const main = containers.find(({ name }) => name === containerName)?.securityContext;
  return {
    runAsNonRoot: true,
    runAsUser: main?.runAsUser || securityContext?.runAsUser || SOME_USER,
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

/** How many replicas of the role are waited for: without the others an elastic job goes on. */
export function awaitedReplicas(
  { scheduling }: { readonly scheduling?: Pick<Scheduling, 'leastReplicas'> },
  job: TrainingJob,
  role: ReplicaRole,
): number {
  const { replicas } = role;
  const least = scheduling?.leastReplicas?.(job, role) ?? replicas;
  return Math.min(replicas, Math.max(1, least));
}
