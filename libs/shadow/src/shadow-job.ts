/**
 * A reconcile run that writes nothing. It plans as `reconcile-job.ts` does, keeps the status that Muster would have stored, and, once
 * nothing has changed for a while, hands both to the comparison.
 */
import {
  earliest,
  type FrameworkAdapter,
  isControlledBy,
  isManagedElsewhere,
  type JobCaches,
  type JobManifest,
  type JobMemory,
  objectsOf,
  observe,
  type Plan,
  planOrFailure,
  type PlanSettings,
  runPolicyOf,
  type World,
} from '@muster/common-job-controller';
import { PODS, SERVICES, type KubeObject, type Pod, type Service } from '@muster/job-api';
import type { Clock, Reconcile } from '@muster/controller';
import { isKubeError, type KubeClient } from '@muster/kube';
import { classified } from './classified.ts';
import { comparedObjects, comparedRun, recordOf, together, typicalPods } from './compared-job.ts';
import type { Comparison } from './compared-status.ts';
import { notePods, timedSteps } from './compared-times.ts';
import { DIFFERENCES_OF_EVERY_KIND } from './every-kind-differences.ts';
import type { ShadowLedger } from './shadow-ledger.ts';
import type { ShadowRecord, ShadowRecords } from './shadow-record.ts';

export interface ShadowDependencies {
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Clock;
  readonly caches: JobCaches;
  readonly memory: JobMemory;
  readonly records: ShadowRecords;
  readonly ledger: ShadowLedger;
  /** How long nothing of a job may have changed before it is compared. */
  readonly settleMs: number;
  /** The manifest with the defaults of Muster's CRD, which the cluster's lacks. */
  readonly withDefaults: (manifest: JobManifest) => JobManifest;
}

export function shadowReconciler(
  adapter: FrameworkAdapter,
  tools: ShadowDependencies,
  settings: PlanSettings,
): Reconcile {
  const { caches, clock, memory, records, ledger } = tools;
  return async (job, { signal }) => {
    const uid = caches.jobs.get(job)?.metadata?.uid ?? '';
    const world = observe(adapter, caches, job, {
      ...memory.recall(job, uid),
      probeResults: new Map(),
      nowMs: clock.now(),
      ageStates: (states) => memory.ageStates(job, uid, states),
    });
    if (world === undefined || world.manifest.metadata?.deletionTimestamp !== undefined) {
      memory.forget(job);
      records.forget(job);
      return;
    }
    if (isManagedElsewhere(adapter, world.manifest)) return;
    const { namespace = '', name = '' } = world.manifest.metadata ?? {};
    ledger.see(uid, namespace, name);
    const record = records.of(job, uid, world.manifest.status ?? {});
    const seen = { ...world, manifest: tools.withDefaults(world.manifest) };
    const plan = planned(adapter, record, seen, settings);
    notePods(record.steps, { uid, pods: world.pods, nowMs: world.nowMs }, plan);
    const waitMs = settling(record, seen, tools);
    if (waitMs === 0 && hasBegun(adapter, seen)) {
      const compared = await compare(adapter, tools, record, { world: seen, plan, settings, signal });
      const differences = classifiedOf(adapter, seen.manifest, record, compared);
      const ours = adapter.probes === undefined ? record.ours : undefined;
      const times = timedSteps(record.steps, seen.manifest.status ?? {}, ours);
      ledger.note(uid, { same: compared.same, differences, times });
    }
    const requeueAfterMs = earliest(plan.requeueAfterMs, waitMs === 0 ? undefined : waitMs);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  };
}

/** Plans for each pod that has ended and was deleted since, then for the world as it is. */
function planned(adapter: FrameworkAdapter, record: ShadowRecord, world: World, settings: PlanSettings): Plan {
  // What depends on responses of programs is taken from the other operator's status: a shadow sends no requests.
  if (adapter.probes !== undefined || record.ours === undefined) record.ours = world.manifest.status ?? {};
  for (const pod of record.ended.splice(0)) {
    const now = world.pods.find(({ metadata }) => metadata?.name === pod.metadata?.name);
    if (now !== undefined && now.metadata?.resourceVersion === pod.metadata?.resourceVersion) continue;
    step(adapter, record, { ...world, pods: [...world.pods.filter((each) => each !== now), pod] }, settings);
  }
  return step(adapter, record, world, settings);
}

function step(adapter: FrameworkAdapter, record: ShadowRecord, world: World, settings: PlanSettings): Plan {
  const manifest = { ...world.manifest, status: record.ours ?? {} };
  const { plan } = planOrFailure(adapter, { ...world, manifest, hasWrittenStatus: true }, settings);
  if (plan.status !== undefined) record.ours = plan.status.stored ?? plan.status.status;
  return plan;
}

/** Whether the other operator has done more than notice the job: it may be slow, or not run at all. */
function hasBegun(adapter: FrameworkAdapter, { manifest, pods, services, ownedResources }: World): boolean {
  const {
    conditions: _conditions,
    replicaStatuses: _counts,
    lastReconcileTime: _time,
    ...others
  } = (manifest.status ?? {}) as Readonly<Record<string, unknown>>;
  const { suspend } = runPolicyOf(adapter, manifest);
  return suspend || pods.length + services.length + ownedResources.length + Object.keys(others).length > 0;
}

/** How much longer nothing may change: 0 if the job can be compared. */
function settling(record: ShadowRecord, world: World, { clock, settleMs }: ShadowDependencies): number {
  const objects = [
    world.manifest,
    ...world.pods,
    ...world.services,
    ...world.ownedResources.map(({ object }) => object),
  ];
  const versions = objects.map(({ metadata }) => metadata?.resourceVersion);
  // A status that is always computed from the other operator's has the time of the run.
  const withoutTimes = (key: string, value: unknown) => (key.endsWith('Time') ? undefined : value);
  const seen = `${versions.join()} ${JSON.stringify(record.ours, withoutTimes)}`;
  const nowMs = clock.monotonic();
  if (record.seen !== seen) {
    record.seen = seen;
    record.sinceMs = nowMs;
  }
  return Math.max(0, record.sinceMs + settleMs - nowMs);
}

interface Settled {
  readonly world: World;
  readonly plan: Plan;
  readonly settings: PlanSettings;
  readonly signal: AbortSignal;
}

async function compare(
  adapter: FrameworkAdapter,
  tools: ShadowDependencies,
  record: ShadowRecord,
  { world, plan, settings, signal }: Settled,
): Promise<Comparison> {
  const { manifest } = world;
  const run = comparedRun({ adapter, manifest, ours: record.ours ?? {}, plan });
  return together(run, await contents(adapter, tools, record, { world, plan, settings, signal }));
}

/** Read from the API server, because the caches keep only what planning reads. Again only for other pods or Services. */
async function contents(
  adapter: FrameworkAdapter,
  { client }: ShadowDependencies,
  record: ShadowRecord,
  { world, settings, signal }: Settled,
): Promise<Comparison> {
  const { uid, manifest, pods } = { uid: record.uid, ...world };
  const services = world.services.filter((service) => isControlledBy(uid, service));
  const compared = [...typicalPods(adapter, uid, pods), ...services.slice(0, 2)];
  const of = compared.map(({ metadata }) => metadata?.uid).join();
  if (record.contents?.of === of) return record.contents.compared;
  const existing = await Promise.all([
    ...typicalPods(adapter, uid, pods).map((pod) => stored<Pod>(client, PODS, pod, signal)),
    ...services.slice(0, 2).map((service) => stored<Service>(client, SERVICES, service, signal)),
  ]);
  const { status: _status, ...fresh } = manifest;
  // With a Service for each replica, as the other operator has created the pods.
  const planned = objectsOf(adapter, fresh, { ...settings, serviceMode: 'PerReplica' }, world.references);
  const found = comparedObjects(adapter, manifest, planned, existing.flat());
  const mode = modeOf(adapter, services.length, settings);
  const result = mode === undefined ? found : together(found, { same: 0, differences: [mode] });
  record.contents = { of, compared: result };
  return result;
}

function modeOf({ network }: FrameworkAdapter, services: number, { serviceMode }: PlanSettings) {
  if (network === undefined || serviceMode === 'PerReplica' || services === 0) return undefined;
  return { field: 'Services', theirs: 'one per replica', ours: 'one per job' };
}

async function stored<T extends KubeObject>(
  client: ShadowDependencies['client'],
  resource: Parameters<KubeClient['get']>[0],
  { metadata }: T,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const { namespace = '', name = '' } = metadata ?? {};
  try {
    return [{ ...(await client.get(resource, { namespace, name }, { signal })), kind: resource.kind }];
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return [];
    throw error;
  }
}

function classifiedOf(
  adapter: FrameworkAdapter,
  manifest: JobManifest,
  record: ShadowRecord,
  { differences }: Comparison,
) {
  const job = {
    metadata: manifest.metadata ?? {},
    theirs: manifest.status ?? {},
    ours: recordOf(adapter, manifest, record.ours ?? {}),
    runPolicy: runPolicyOf(adapter, manifest),
    hasLostPods: record.hasLostPods,
    spec: manifest.spec ?? {},
  };
  return classified(differences, job, adapter.documented ?? DIFFERENCES_OF_EVERY_KIND);
}
