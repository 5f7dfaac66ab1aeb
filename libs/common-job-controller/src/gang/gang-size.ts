/**
 * How many pods must start together, and their total requests. Deterministic: roles are processed in the adapter's order.
 * (kubeflow/training-operator, pkg/controller.v1/common/scheduling.go, uses a random order, and requires all replicas of an elastic job.)
 */
import { formatQuantity, multiplyQuantity, type PodSpec, type ResourceAmounts } from '@muster/job-api';
import type { Peers } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { isStartDelayed } from '../model/start-order.ts';
import { groupNameOf, hasOwnGroup } from './own-groups.ts';
import { startWaits } from '../pods/start-waits.ts';
import { podRequests, readAmounts, sumRequests, type Requests } from './pod-requests.ts';
import type { GangSize, GangRules } from '../contract/gang-scheduler.ts';

export interface Gang {
  readonly name: string;
  readonly size: GangSize;
  readonly roles: readonly ReplicaRole[];
}

export function gangsOf(rules: GangRules, job: TrainingJob, begun: ReadonlySet<ReplicaRole> = new Set()): Gang[] {
  const own = job.roles.filter((role) => hasOwnGroup(job, role));
  const others = job.roles.filter((role) => !own.includes(role));
  return [
    { name: job.metadata.name, size: gangSize(rules, job, begun), roles: others },
    ...own.map((role) => ({
      name: groupNameOf(job, role),
      // The role's requests are part of the job's group until its pods are created, so they are not counted here.
      size: { minMember: Math.max(1, neededOf(rules, job, role)), minResources: undefined },
      roles: [role],
    })),
  ];
}

/**
 * Never more than the replicas: no scheduler could start such a gang. The resources include roles that start later, because they must fit
 * as well. Once a role with its own group has `begun`, that group has its resources.
 */
export function gangSize(rules: GangRules, job: TrainingJob, begun: ReadonlySet<ReplicaRole> = new Set()): GangSize {
  const { minResources } = job.runPolicy.schedulingPolicy ?? {};
  const { minMember, least, counted } = counts(rules, job);
  const later = least
    .filter(({ role, count }) => count === 0 && !(begun.has(role) && hasOwnGroup(job, role)))
    .map(({ role }) => ({ role, count: role.replicas }));
  const amounts =
    minResources === undefined
      ? requestsOf(rules, job, [...members(counted, minMember), ...later])
      : // Without invalid amounts: a single unreadable PodGroup keeps a scheduler written in Go from reading any.
        readAmounts(minResources);
  const isPartial = minMember < sum(job.roles.map(({ replicas }) => replicas));
  return {
    minMember,
    ...(isPartial && { minMembers: new Map(counted.map(({ role, count }) => [role, count])) }),
    minResources: amounts.size === 0 ? undefined : written(amounts),
  };
}

/** How many pods of each role must start together, and the requests of one: the parts of {@link gangSize}. */
export function gangMembers(rules: GangRules, job: TrainingJob): GangMember[] {
  const { minMember, counted } = counts(rules, job);
  return members(counted, minMember)
    .filter(({ count }) => count > 0)
    .map(({ role, count }) => {
      const spec = podSpec(rules, job, role);
      return { role, count, spec, requests: written(podRequests(spec)) };
    });
}

export interface GangMember {
  readonly role: ReplicaRole;
  readonly count: number;
  readonly spec: PodSpec;
  readonly requests: ResourceAmounts;
}

function counts(rules: GangRules, job: TrainingJob) {
  const { minAvailable } = job.runPolicy.schedulingPolicy ?? {};
  const least = job.roles.map((role) => ({ role, count: leastOf(rules, job, role) }));
  // A role with a minimum of 0 may start after the others, so a gang must not wait for it.
  const counted = least.filter(({ count }) => count > 0);
  const most = sum((counted.length > 0 ? counted : least).map(({ role }) => role.replicas));
  const minMember = Math.max(1, Math.min(minAvailable ?? sum(least.map(({ count }) => count)), most));
  return { minMember, least, counted };
}

export function leastOf(rules: GangRules, job: TrainingJob, role: ReplicaRole): number {
  return isStartDelayed(job, role) || hasOwnGroup(job, role) ? 0 : neededOf(rules, job, role);
}

function neededOf(rules: GangRules, job: TrainingJob, role: ReplicaRole): number {
  return Math.max(0, Math.min(rules.scheduling?.leastReplicas?.(job, role) ?? role.replicas, role.replicas));
}

type Share = Pick<GangMember, 'role' | 'count'>;

/** The first `places` replicas: the required ones of each role, then the others, in the order of roles. */
function members(least: readonly Share[], places: number): Share[] {
  let free = places;
  const take = (count: number) => {
    const taken = Math.min(count, free);
    free -= taken;
    return taken;
  };
  const needed = least.map(({ role, count }) => ({ role, count: take(count) }));
  return needed.map(({ role, count }) => ({ role, count: count + take(role.replicas - count) }));
}

function requestsOf(rules: GangRules, job: TrainingJob, shares: readonly Share[]): Requests {
  return shares
    .filter(({ count }) => count > 0)
    .map(({ role, count }) => {
      const requests = podRequests(podSpec(rules, job, role));
      return new Map([...requests].map(([name, each]) => [name, multiplyQuantity(each, count)]));
    })
    .reduce<Requests>(sumRequests, new Map());
}

const NO_ADDRESSES: Peers = { addressOf: () => '' };

function podSpec(rules: GangRules, job: TrainingJob, role: ReplicaRole): PodSpec {
  const spec = role.template.spec ?? { containers: [] };
  const { initContainers = [], shape = (same: PodSpec) => same } = rules.pod(job, { role, index: 0 }, NO_ADDRESSES);
  const replicas = job.roles.map((each) => ({ role: each, index: 0, state: 'missing' }) as const);
  const waits = startWaits(rules, job, role, { replicas, peers: NO_ADDRESSES });
  return shape({ ...spec, initContainers: [...(spec.initContainers ?? []), ...waits, ...initContainers] });
}

function written(requests: Requests): ResourceAmounts {
  const entries = [...requests].map(([name, quantity]) => [name, formatQuantity(quantity)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
