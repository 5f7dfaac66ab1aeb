/**
 * How large the gang of a job is: how many pods have to start together, and what they need in sum. Exact, and the same
 * every time: roles are taken in the adapter's order. (kubeflow/training-operator, pkg/controller.v1/common/scheduling.go,
 * takes them in random order, and asks for all replicas of an elastic job.)
 */
import {
  formatQuantity,
  multiplyQuantity,
  parseQuantity,
  type PodSpec,
  type Quantity,
  type ResourceAmounts,
} from '@muster/job-api';
import type { Peers } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { isMadeLater } from '../model/start-order.ts';
import { groupNameOf, hasOwnGroup } from './own-groups.ts';
import { startWaits } from '../pods/start-waits.ts';
import { podRequests, sumRequests, type Requests } from './pod-requests.ts';
import type { GangSize, GangRules } from '../contract/gang-scheduler.ts';

/** A pod group that a job is to have. */
export interface Gang {
  readonly name: string;
  readonly size: GangSize;
  readonly roles: readonly ReplicaRole[];
}

/** The job's own, and those of roles with a group of their own. */
export function gangsOf(rules: GangRules, job: TrainingJob, begun: ReadonlySet<ReplicaRole> = new Set()): Gang[] {
  const own = job.roles.filter((role) => hasOwnGroup(job, role));
  const others = job.roles.filter((role) => !own.includes(role));
  return [
    { name: job.metadata.name, size: gangSize(rules, job, begun), roles: others },
    ...own.map((role) => ({ name: groupNameOf(job, role), size: ownSize(rules, job, role), roles: [role] })),
  ];
}

/** What it requests is in the job's own group until its pods are made, and is not counted twice. */
function ownSize(rules: GangRules, job: TrainingJob, role: ReplicaRole): GangSize {
  return { minMember: Math.max(1, neededOf(rules, job, role)), minResources: undefined };
}

/**
 * `schedulingPolicy.minAvailable` and `minResources` where they are set; else the least that the job can go on with.
 * Never more than there are replicas: no scheduler would ever start such a gang. The resources are those of the roles that
 * start later, too: they have to fit in the end. Once a role with a group of its own has `begun`, it is for that to ask for room.
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
      : read(minResources);
  const isPartial = minMember < sum(job.roles.map(({ replicas }) => replicas));
  return {
    minMember,
    ...(isPartial && { minMembers: new Map(counted.map(({ role, count }) => [role, count])) }),
    minResources: amounts.size === 0 ? undefined : written(amounts),
  };
}

/** How many pods of which role have to start together, and what each of them requests, as {@link gangSize} says it in sum. */
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
  /** At least 1. */
  readonly count: number;
  /** What each pod of the role is made of. */
  readonly spec: PodSpec;
  readonly requests: ResourceAmounts;
}

function counts(rules: GangRules, job: TrainingJob) {
  const { minAvailable } = job.runPolicy.schedulingPolicy ?? {};
  const least = job.roles.map((role) => ({ role, count: leastOf(rules, job, role) }));
  // A role of which none is needed may be held back until the others run: a gang that waited for it would wait for ever.
  const counted = least.filter(({ count }) => count > 0);
  const most = sum((counted.length > 0 ? counted : least).map(({ role }) => role.replicas));
  const minMember = Math.max(1, Math.min(minAvailable ?? sum(least.map(({ count }) => count)), most));
  return { minMember, least, counted };
}

/** How many replicas of the role a gang waits for, when the user does not say. */
export function leastOf(rules: GangRules, job: TrainingJob, role: ReplicaRole): number {
  return isMadeLater(job, role) || hasOwnGroup(job, role) ? 0 : neededOf(rules, job, role);
}

function neededOf(rules: GangRules, job: TrainingJob, role: ReplicaRole): number {
  return Math.max(0, Math.min(rules.scheduling?.leastReplicas?.(job, role) ?? role.replicas, role.replicas));
}

interface Share {
  readonly role: ReplicaRole;
  readonly count: number;
}

/** Which replicas the first `places` are: what each role cannot go without, then the others, in the order of roles. */
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

/** Only what the pods ask for counts here. */
const NO_ADDRESSES: Peers = { addressOf: () => '' };

function podSpec(rules: GangRules, job: TrainingJob, role: ReplicaRole): PodSpec {
  const spec = role.template.spec ?? { containers: [] };
  const { initContainers = [], shape = (same: PodSpec) => same } = rules.pod(job, { role, index: 0 }, NO_ADDRESSES);
  const replicas = job.roles.map((each) => ({ role: each, index: 0, state: 'missing' }) as const);
  const waits = startWaits(rules, job, role, { replicas, peers: NO_ADDRESSES });
  return shape({ ...spec, initContainers: [...(spec.initContainers ?? []), ...waits, ...initContainers] });
}

/** What is no quantity is left out: one unreadable PodGroup keeps a scheduler written in Go from reading any. */
function read(amounts: ResourceAmounts): Requests {
  const readable = Object.entries(amounts).map(([name, text]) => [name, parseQuantity(text)] as const);
  return new Map(readable.filter((entry): entry is [string, Quantity] => entry[1] !== undefined));
}

function written(requests: Requests): ResourceAmounts {
  const entries = [...requests].map(([name, quantity]) => [name, formatQuantity(quantity)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
