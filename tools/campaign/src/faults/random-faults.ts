/** A schedule of faults from a seed alone. */
import type { SeededRandom } from '@muster/fault-injection';

/** Each kind of fault, with its description for the page. */
export const FAULTS = {
  'operator-kill': 'An operator process gets SIGKILL, and is started again.',
  'operator-stop': 'An operator process gets SIGSTOP, and SIGCONT up to 12 seconds later: longer than its Lease.',
  conflicts: 'A share of updates and deletions is answered with 409.',
  throttling: 'A share of all requests is answered with 429.',
  'server-errors': 'A share of all requests is answered with 500 or 503.',
  'slow-requests': 'A share of all requests is delayed by up to 5 seconds.',
  'silent-requests': 'A share of all requests gets no answer, so that they time out.',
  'lost-answers': 'The answers of a share of the writes are lost after the API server has handled them.',
  'cut-watches': 'All watches are cut, and those opened in the next seconds after their next event.',
  'stalled-watches': 'All open watches get no more events, and stay open.',
  'expired-watches': 'Watches end with 410 after an event.',
  'etcd-compaction': "etcd's history is discarded, so that older watches and pages of lists expire.",
  'api-server-kill': 'The API server gets SIGKILL, and is started again up to 3 seconds later.',
  'api-server-stop': 'The API server gets SIGSTOP, and SIGCONT up to 4 seconds later.',
  'kubelets-stop': 'No kubelet reports anything for up to 8 seconds.',
  'node-loss': 'A node is deleted with its pods, and registers again up to 5 seconds later.',
  evictions: 'Several pods are evicted.',
  'pod-deletions': 'Several pods are deleted.',
  'pod-failures': 'Several pods fail.',
  quota: 'A ResourceQuota allows only a few pods in a namespace, and is removed again.',
  'admission-policy': 'An admission policy rejects all pods or Services of a namespace, and is removed again.',
  'namespace-deletion': 'A namespace with jobs is deleted, and created again.',
  'crd-update': 'A CRD is applied with another schema.',
  'queue-quota': 'The quota of a queue of Kueue is reduced to a few pods, and restored. Only with `--kueue`.',
  'rolling-restart': 'The replicas of an operator are restarted one after the other, with other flags.',
  'rolling-upgrade':
    'The CRDs of the current version are applied. Then it replaces the replicas of an operator, up to 12 seconds apart.',
  rollback:
    'The CRDs of the previous version are applied. Then it replaces the replicas of an operator, up to 12 seconds apart.',
  'clock-jump':
    'The wall clock of an operator process is set forward or back by 2 seconds to one hour, and right again up to 12 seconds later.',
} as const;

export type FaultName = keyof typeof FAULTS;

/** One fault of a schedule. `pick` selects a target; `share` is that of the requests, or the size of the fault. */
export interface PlannedFault {
  readonly index: number;
  readonly fault: FaultName;
  readonly atMs: number;
  readonly forMs: number;
  readonly pick: number;
  readonly share: number;
}

const PAUSE_MS = 4_000;
const SHORTEST_MS: Partial<Record<FaultName, number>> = { 'rolling-upgrade': 0, rollback: 0 };
const LONGEST_MS: Partial<Record<FaultName, number>> = {
  'operator-stop': 12_000,
  'api-server-kill': 3_000,
  'api-server-stop': 4_000,
  'kubelets-stop': 8_000,
  'node-loss': 5_000,
  'rolling-upgrade': 12_000,
  rollback: 12_000,
  'clock-jump': 12_000,
};

/** Faults overlap: one begins every four seconds on average, and lasts up to twelve. */
export function randomFaults(random: SeededRandom, forMs: number, names: readonly FaultName[]): PlannedFault[] {
  const [first, ...others] = names;
  if (first === undefined) return [];
  const count = Math.floor(forMs / PAUSE_MS);
  // Each kind occurs before one occurs again, in an order of the seed.
  const order: FaultName[] = [];
  while (order.length < count) order.push(...shuffled(random, [first, ...others]));
  return order.slice(0, count).map((fault, index) => ({
    ...{ index, fault, pick: random.fraction(), share: 0.1 + 0.4 * random.fraction() },
    atMs: Math.round(((index + random.fraction()) / count) * forMs * 0.9),
    forMs: durationOf(fault, random.fraction()),
  }));
}

function durationOf(fault: FaultName, share: number): number {
  const { [fault]: shortest = 500 } = SHORTEST_MS;
  const { [fault]: longest = 8_000 } = LONGEST_MS;
  return Math.round(shortest + share * (longest - shortest));
}

function shuffled<T>(random: SeededRandom, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: random.fraction() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
