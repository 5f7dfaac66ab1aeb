/** Roles whose init containers wait until pods of other roles accept connections (`runPolicy.startOrder`). All pods are created at once. */
import type { Container } from '@muster/job-api';
import type { FrameworkAdapter, Peers } from '../contract/adapter.ts';
import { orderOf } from '../model/start-order.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { programImage, waitContainer } from './wait-container.ts';
import type { Scheduling } from '../contract/facets.ts';

const DEFAULT_TIMEOUT_SECONDS = 300;

/** The fallback: the user `nonroot` of many images. */
const SOME_USER = 65_532;

export interface AwaitedPods {
  readonly replicas: readonly Pick<ReplicaPod, 'role' | 'index' | 'state'>[];
  readonly peers: Peers;
  readonly image?: string | undefined;
}

/** One init container for each awaited role. None if nothing is left to wait for. */
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
    // A succeeded pod no longer listens, and its DNS name does not resolve.
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

/** Satisfies namespaces with pod security rules. These may allow certain users only, so the template's user is kept. */
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

/** An elastic job continues with its minimum. */
export function awaitedReplicas(
  { scheduling }: { readonly scheduling?: Pick<Scheduling, 'leastReplicas'> },
  job: TrainingJob,
  role: ReplicaRole,
): number {
  const { replicas } = role;
  const least = scheduling?.leastReplicas?.(job, role) ?? replicas;
  return Math.min(replicas, Math.max(1, least));
}
