/** One run: a cluster, operators, a load and faults from a seed; then a wait until nothing changes, and the check of the invariants. */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Cluster,
  clusterDown,
  clusterUp,
  interruptSignal,
  keepRunning,
  type Progress,
  restartComponent,
  stateFolder,
} from '@muster/cluster';
import { SeededRandom } from '@muster/fault-injection';
import {
  crdFor,
  type FrameworkName,
  SERVICE_ACCOUNTS,
  VOLCANO_COMMAND_CRD,
  volcanoJobDefinition,
} from '@muster/job-api';
import { createKubeClient, isKubeError, type KubeClient, loadCluster } from '@muster/kube';
import { type Kueue, startKueue } from '@muster/schedulers';
import { makeOperatorAccounts, OPERATORS_NAMESPACE } from '@muster/verify';
import type { FaultPlace } from '../faults/fault-place.ts';
import { NAMESPACES } from '../faults/object-faults.ts';
import { playFaults, type PlayedFault } from '../faults/play-faults.ts';
import { type FaultName, type PlannedFault, randomFaults } from '../faults/random-faults.ts';
import { applyCrds } from '../faults/version-faults.ts';
import type { History } from '../history/history.ts';
import type { Violation } from '../invariants/invariant.ts';
import { violationsOf } from '../invariants/invariants.ts';
import { CAMPAIGN_KINDS, isSelected } from '../load/all-kinds.ts';
import { endSchedules, playLoad } from '../load/play-load.ts';
import { makeQueue } from '../load/queues.ts';
import { type LoadedJob, randomLoad } from '../load/random-load.ts';
import { SimulatedRay } from '../ray/simulated-ray.ts';
import { firstVersion, versionsOf } from '../versions/operator-version.ts';
import { readAudit } from './audit-log.ts';
import { EtcdWatch } from './etcd-watch.ts';
import { missingRights } from './missing-rights.ts';
import { OperatorReplica, type ReplicaSettings } from './operator-replica.ts';
import { deleteJobs, settle } from './settle.ts';
import { timelineOf } from './timeline.ts';

export interface RunSettings {
  readonly seed: number;
  /** How long jobs are created and faults are caused; the start of the cluster and the wait at the end come on top. */
  readonly minutes: number;
  readonly frameworks: readonly FrameworkName[];
  /** Kinds of the jobs, or `volcano`. Default: all of the frameworks. */
  readonly kinds?: readonly string[];
  readonly faults: readonly FaultName[];
  readonly jobs: number;
  readonly mostPods: number;
  /** Whether some jobs have 50 to 500 pods. */
  readonly hasLarge?: boolean;
  /** Whether the real Kueue queues jobs. */
  readonly hasQueues?: boolean;
  /** Only these faults of the schedule, by index. */
  readonly only?: readonly number[];
  /** For logs and recorded reconcile runs. Emptied first. */
  readonly folder: string;
  /** A commit, branch or tag, for upgrades and rollbacks. Default: the newest release, or the last commit of the day before. */
  readonly previous?: string;
  /** The bundles of the current operators. Default: those of this checkout. */
  readonly bundleOf?: (framework: string) => Promise<string>;
  /** How long to wait after the last fault until nothing changes. Default 240 s. */
  readonly settleMs?: number;
  /** Whether the run ends at the first check that finds a violation, and leaves its jobs. */
  readonly stopsAtFirst?: boolean;
}

export interface RunResult {
  readonly seed: number;
  readonly minutes: number;
  readonly frameworks: readonly string[];
  readonly kubernetesVersion: string;
  /** The commit of the previous version, if the run had one. */
  readonly previous?: string;
  /** From the first job to the end of the last check. */
  readonly clusterMinutes: number;
  readonly jobs: number;
  readonly pods: number;
  readonly changes: number;
  readonly operatorWrites: number;
  /** Those of operators of the previous version. */
  readonly previousWrites: number;
  readonly auditedRequests: number;
  readonly operatorKills: number;
  readonly faults: readonly PlayedFault[];
  /** What users could not do, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Whether nothing changed any more at both checks. Otherwise invariants about the last state were not checked. */
  readonly hasSettled: boolean;
  readonly violations: readonly Violation[];
}

/**
 * They may end by themselves after the API server was killed: kube-scheduler exits when a pod is on another node than it had assumed
 * (kubernetes, pkg/scheduler/backend/cache/cache.go). In a real cluster they are static pods, which a kubelet starts again.
 */
const KEPT_COMPONENTS = ['kube-scheduler', 'kube-controller-manager'];
const NAMES = ['campaign-a', 'campaign-b', 'campaign-c'];
const NODES = 12;

/** A cluster with operators. */
export interface CampaignPlace extends FaultPlace {
  readonly ray: SimulatedRay;
}

/**
 * Starts a cluster, calls `run` with it, and takes it down, also upon SIGINT and SIGTERM: then it rejects with an InterruptedError, and `run`
 * may still be going on. @param apiServerArguments more of them
 */
export async function onCampaignCluster<T>(
  name: string,
  progress: Progress,
  run: (cluster: Cluster) => Promise<T>,
  apiServerArguments: readonly string[] = [],
): Promise<T> {
  using interrupt = interruptSignal();
  const { signal } = interrupt;
  const cluster = await clusterUp({
    ...{ name, node: 'simulated', nodes: NODES, auditedNamespace: OPERATORS_NAMESPACE, progress, signal },
    // etcd is read from the outside, and an audit log must not lose what a killed API server has handled.
    apiServerArguments: [
      ...['--storage-media-type=application/json', '--audit-log-mode=blocking'],
      ...apiServerArguments,
    ],
  });
  const end = new AbortController();
  const onEnd = (component: string) => progress.note(`${component} has ended and is started again`);
  const keeping = keepRunning(name, KEPT_COMPONENTS, AbortSignal.any([end.signal, signal]), onEnd);
  try {
    return await Promise.race([run(cluster), aborted(signal)]);
  } finally {
    end.abort();
    await keeping;
    await clusterDown({ name, progress });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** Runs may follow one another on a cluster: each deletes its jobs at its end. */
export async function runCampaign(cluster: Cluster, settings: RunSettings, progress: Progress): Promise<RunResult> {
  return withOperators(cluster, settings, progress, async (place, previous) => ({
    ...(await play(place, cluster, settings, progress)),
    ...(previous !== undefined && { previous }),
  }));
}

/**
 * Starts the operators, calls `run` with them, and ends them.
 * @param run gets also the commit of the previous version, if there is one
 * @param own settings of all replicas; flags come after those of the campaign
 */
export async function withOperators<T>(
  cluster: Cluster,
  settings: RunSettings,
  progress: Progress,
  run: (place: CampaignPlace, previous?: string) => Promise<T>,
  own: Partial<ReplicaSettings> = {},
): Promise<T> {
  await rm(settings.folder, { recursive: true, force: true });
  await mkdir(settings.folder, { recursive: true });
  using etcd = await EtcdWatch.of(cluster);
  const access = await loadCluster({ kubeconfig: cluster.kubeconfig });
  const client = createKubeClient(access, { userAgent: 'muster-campaign' });
  const replicas: OperatorReplica[] = [];
  let kueue: Kueue | undefined;
  try {
    const { of: versions, previous } = await versionsOf(settings, progress);
    await applyCrds(client, [crdFor(volcanoJobDefinition), VOLCANO_COMMAND_CRD]);
    const ray = new SimulatedRay();
    etcd.onChange = (change) => ray.note(change);
    if (settings.hasQueues === true) kueue = await startKueue(cluster, ['batch/job']);
    const makeNamespace = async (namespace: string) => {
      await createNamespace(client, namespace);
      if (kueue !== undefined) await makeQueue(client, namespace);
    };
    for (const namespace of NAMES) await makeNamespace(namespace);
    replicas.push(...(await startOperators({ client, versions, ray, own }, cluster, settings, progress)));
    const place = {
      ...{ cluster: cluster.name, client, etcd, replicas, versions, namespaces: NAMES, makeNamespace, ray },
    };
    return await run(place, previous);
  } finally {
    await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()));
    await kueue?.stop();
    await client.close();
  }
}

/** Each with its first version, and the CRDs of that version. */
async function startOperators(
  {
    client,
    versions,
    ray,
    own: more,
  }: Pick<CampaignPlace, 'client' | 'versions' | 'ray'> & { readonly own: Partial<ReplicaSettings> },
  cluster: Cluster,
  settings: RunSettings,
  progress: Progress,
): Promise<OperatorReplica[]> {
  const { seed, folder, faults } = settings;
  const accounts = await accountsOf(cluster, settings, progress);
  const random = new SeededRandom(seed + 2);
  const replicas: OperatorReplica[] = [];
  for (const [framework, own] of versions) {
    const version = firstVersion(own, random);
    await applyCrds(client, version.crds);
    const kubeconfig = join(accounts, `${framework}.kubeconfig`);
    for (const place of ['a', 'b']) {
      const where = { framework, place, version, kubeconfig, leaseNamespace: OPERATORS_NAMESPACE, folder };
      const hasOwnClock = faults.includes('clock-jump');
      const flags = [...flagsOf(framework, settings), ...(more.flags ?? [])];
      const own = { hasOwnClock, inPods: ray.answer, ...more, flags };
      replicas.push(await OperatorReplica.start({ ...where, ...own }));
    }
  }
  return replicas;
}

/** Frameworks with a plugin of Volcano also run its Jobs. */
function flagsOf(framework: string, { hasQueues }: RunSettings): string[] {
  const hasPlugin = CAMPAIGN_KINDS.some((kind) => kind.framework === framework && isSelected(kind, ['volcano']));
  return [...(hasPlugin ? ['--volcano-jobs'] : []), ...(hasQueues === true ? ['--kueue=Own'] : [])];
}

/** The folder with the accounts' kubeconfigs; runs on the same cluster share it. */
function accountsOf(cluster: Cluster, { hasQueues }: RunSettings, progress: Progress): Promise<string> {
  const more = { more: { 'operator.kueue': hasQueues === true ? 'Own' : 'None' } };
  const accounts = ACCOUNTS.get(cluster) ?? makeOperatorAccounts(cluster, progress, more);
  ACCOUNTS.set(cluster, accounts);
  return accounts;
}

const ACCOUNTS = new WeakMap<Cluster, Promise<string>>();

/** The schedule of a run: the same settings give the same one. */
function scheduleOf(settings: RunSettings): { load: LoadedJob[]; faults: PlannedFault[] } {
  const forMs = settings.minutes * 60_000;
  const { seed, jobs, mostPods, hasLarge = false, frameworks, kinds = frameworks, only } = settings;
  const size = { forMs, jobs, mostPods, hasLarge, namespaces: NAMES.length };
  const load = randomLoad(new SeededRandom(seed), { ...size, kinds });
  const faults = randomFaults(new SeededRandom(seed + 1), forMs, settings.faults);
  return { load, faults: only === undefined ? faults : faults.filter(({ index }) => only.includes(index)) };
}

async function play(
  place: CampaignPlace,
  cluster: Cluster,
  settings: RunSettings,
  progress: Progress,
): Promise<RunResult> {
  const { load, faults } = scheduleOf(settings);
  const startMs = performance.now();
  const refused = new Map<string, number>();
  const { hasQueues = false } = settings;
  const loaded = { client: place.client, namespaces: NAMES, hasQueues, refused };
  const [played] = await Promise.all([
    playFaults(place, faults, ({ index, fault, forMs }) => progress.note(`fault ${index}: ${fault} (${forMs} ms)`)),
    playLoad(loaded, load),
  ]);
  const history = async (hasSettled: boolean): Promise<History> => ({
    changes: [...place.etcd.changes],
    writes: place.replicas.flatMap(({ writes }) => writes).toSorted((a, b) => a.sentMs - b.sentMs),
    refusals: await missingRights(place.client, (await readAudit(cluster.auditLog ?? '')).refusals),
    rayRuns: [...place.ray.runs],
    exits: place.replicas.flatMap(({ exits }) => exits),
    operatorStarts: place.replicas.reduce((sum, { starts }) => sum + starts, 0),
    endMs: performance.now(),
    hasSettled,
  });
  // The simulated kubelets may have missed changes while the API server was down, which they would notice hours later.
  await restartComponent(cluster.name, 'kwok');
  await endSchedules(loaded, load);
  const hasSettled = await settle(place, progress, settings.settleMs);
  const violations = violationsOf(await history(hasSettled));
  await deleteJobs(place, load);
  const isOver = violations.length > 0 && settings.stopsAtFirst === true;
  const isEmpty = !isOver && (await settle(place, progress, settings.settleMs));
  const last = await history(isEmpty);
  const all = distinct([...violations, ...violationsOf(last)]);
  if (all.length > 0 || !hasSettled) {
    await cp(join(stateFolder(cluster.name), 'log'), join(settings.folder, 'cluster'), { recursive: true });
  }
  for (const uid of new Set(all.flatMap((violation) => violation.uid ?? [])))
    await writeFile(join(settings.folder, `${uid}.timeline.txt`), timelineOf(last, uid).join('\n'));
  if (place.etcd.failure !== undefined) throw new Error('the history is incomplete', { cause: place.etcd.failure });
  return {
    ...{ seed: settings.seed, minutes: settings.minutes, frameworks: settings.frameworks },
    kubernetesVersion: cluster.kubernetesVersion,
    clusterMinutes: (performance.now() - startMs) / 60_000,
    jobs: load.length,
    pods: last.changes.filter(({ resource, before }) => resource === 'pods' && before === undefined).length,
    changes: last.changes.length,
    operatorWrites: last.writes.length,
    previousWrites: last.writes.filter(({ operatorVersion }) => operatorVersion !== 'current').length,
    auditedRequests: (await readAudit(cluster.auditLog ?? '')).requests,
    operatorKills: place.replicas.reduce((sum, { kills }) => sum + kills, 0),
    faults: played,
    hasSettled: hasSettled && isEmpty,
    refused: Object.fromEntries(refused),
    violations: all,
  };
}

async function createNamespace(client: KubeClient, name: string): Promise<void> {
  const isThere = (error: unknown) => {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  };
  await client.create(NAMESPACES, { metadata: { name } }).catch(isThere);
  // Pods require it; the controller manager may create it first.
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: name } }).catch(isThere);
}

function distinct(violations: readonly Violation[]): Violation[] {
  return [
    ...new Map(
      violations.map((violation) => [`${violation.invariant} ${violation.about} ${violation.message}`, violation]),
    ).values(),
  ];
}
