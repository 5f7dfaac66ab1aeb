/**
 * Deliberate defects of the engine, each of which the campaign must detect. The text must be in its file exactly once. They run one after
 * the other on one cluster: those that leave objects behind are last.
 */
import type { SourceEdit } from '@muster/bundle';
import type { FrameworkName } from '@muster/job-api';

interface MutantLoad {
  readonly framework: FrameworkName;
  readonly kinds: readonly string[];
  readonly minutes: number;
  /** Default: 24. */
  readonly jobs?: number;
}

export interface Mutant extends SourceEdit {
  /** What the defect does, as a sentence. */
  readonly what: string;
  /** Invariants of which at least one must be violated. */
  readonly detectedBy: readonly string[];
  /** The jobs of its run. Default: those of PyTorch, for half a minute. */
  readonly load?: MutantLoad;
}

/** Many jobs, of which a few fail or are suspended at the right time, or have another Service beside them. */
const MANY: MutantLoad = { framework: 'pytorch-elastic', kinds: ['PyTorchJob'], minutes: 1, jobs: 100 };

const ENGINE = 'libs/common-job-controller/src';
const RAY = 'libs/adapters/ray/src';

export const MUTANTS: readonly Mutant[] = [
  {
    what: 'Each pod is created twice, under two names.',
    file: `${ENGINE}/reconcile/write-children.ts`,
    find: `export async function createChild(run: ReconcileRun, child: ChildKind, object: KubeObject): Promise<void> {`,
    replace: `export async function createChild(run: ReconcileRun, child: ChildKind, object: KubeObject): Promise<void> {
  if (child.resource.kind === 'Pod') {
    const metadata = { ...object.metadata, name: nameOf(object) + '-b' };
    await run.dependencies.client.create(child.resource, { ...object, metadata }).catch(() => undefined);
  }`,
    detectedBy: ['one-live-pod-per-replica', 'no-more-pods-than-replicas'],
  },
  {
    what: 'The status is written after the objects, instead of before them.',
    file: `${ENGINE}/reconcile/execute.ts`,
    find: `    if (plan.status !== undefined && mayGoOn()) await writeStatus(run, plan.status);
    // Emitted even if the job has changed since, because the status was written.
    for (const event of plan.events) if (!run.isOver) run.emit(event);
    for (const batch of batchesOf(plan.writes)) {
      await slowStart(batch, mayGoOn, (write) => applyWrite(run, write));
    }`,
    replace: `    for (const batch of batchesOf(plan.writes)) {
      await slowStart(batch, mayGoOn, (write) => applyWrite(run, write));
    }
    if (plan.status !== undefined && mayGoOn()) await writeStatus(run, plan.status);
    for (const event of plan.events) if (!run.isOver) run.emit(event);`,
    detectedBy: ['nothing-created-at-rest', 'restarts-equal-failures'],
  },
  {
    what: 'The end of a job is written again, with another reason.',
    file: `${ENGINE}/reconcile/decide-finished.ts`,
    find: `    status: { before: job.status, after },`,
    replace: `    status: { before: job.status, after: { ...after, conditions: (after.conditions ?? []).map((each) => ({ ...each, reason: 'Again' })) } },`,
    detectedBy: ['one-final-end'],
  },
  {
    what: 'A restart is counted ten times.',
    file: `${ENGINE}/restarts/restart-account.ts`,
    find: `restartCount: (job.status.restartCount ?? 0) + newFailures + inPlace,`,
    replace: `restartCount: (job.status.restartCount ?? 0) + 10 * newFailures + inPlace,`,
    detectedBy: ['restarts-equal-failures'],
  },
  {
    what: 'A restart is not counted.',
    file: `${ENGINE}/restarts/restart-account.ts`,
    find: `restartCount: (job.status.restartCount ?? 0) + newFailures + inPlace,`,
    replace: `restartCount: (job.status.restartCount ?? 0) + inPlace,`,
    detectedBy: ['restarts-equal-failures'],
    load: MANY,
  },
  {
    what: 'A suspended job keeps its pods.',
    file: `${ENGINE}/children/plan-removal.ts`,
    find: `return [...deletionsAsSeen(stayingOf(context.job, context.world.pods)), ...serviceDeletions(context)];`,
    replace: `return serviceDeletions(context);`,
    detectedBy: ['waiting-is-explained'],
    load: MANY,
  },
  {
    what: 'Each status is written twenty times.',
    file: `${ENGINE}/reconcile/execute.ts`,
    find: `    if (plan.status !== undefined && mayGoOn()) await writeStatus(run, plan.status);`,
    replace: `    for (let time = 10; plan.status !== undefined && time < 30; time++) {
      const status = { lastReconcileTime: '2026-01-01T00:00:' + time + 'Z' };
      await run.dependencies.client.patchStatus(run.dependencies.resource, run.where, { status }).catch(() => undefined);
    }
    if (plan.status !== undefined && mayGoOn()) await writeStatus(run, plan.status);`,
    detectedBy: ['bounded-writes'],
  },
  {
    what: 'A replica leads although another one holds the Lease.',
    file: 'libs/controller/src/leader-election.ts',
    find: `    return held && ahead === undefined && this.#awaited === undefined;`,
    replace: `    return held || ahead === undefined;`,
    detectedBy: ['leaders-do-not-overlap'],
  },
  {
    what: 'Objects of others that have the labels of a job count as its own.',
    file: `${ENGINE}/model/ownership.ts`,
    find: `  return controller.uid === jobUid ? 'owned' : 'foreign';`,
    replace: `  return jobUid === '' ? 'foreign' : 'owned';`,
    detectedBy: ['others-untouched'],
    load: MANY,
  },
  {
    what: 'Pods that do not run count as active.',
    file: `${ENGINE}/status/job-status.ts`,
    find: `[among('running').length, among('succeeded')`,
    replace: `[own.length, among('succeeded')`,
    detectedBy: ['status-agrees-with-pods'],
  },
  {
    what: 'A job is Running before its pods run.',
    file: `${ENGINE}/status/next-status.ts`,
    find: `if (outcome.phase === 'Pending' || isStillRestarting`,
    replace: `if (isStillRestarting`,
    detectedBy: ['status-agrees-with-pods'],
  },
  {
    what: 'Planning fails for jobs of four and more pods.',
    file: `${ENGINE}/status/next-status.ts`,
    find: `  const { restartCount, disruptionCount, restarts } = account;`,
    replace: `  const { restartCount, disruptionCount, restarts } = account;
  if (before.wanted.length > 3) throw new Error('mutant');`,
    detectedBy: ['no-defects-reported'],
  },
  {
    what: 'A RayJob has succeeded when Ray runs it.',
    file: `${RAY}/job/dashboard.ts`,
    find: `    status: word,`,
    replace: `    status: word === 'RUNNING' ? 'SUCCEEDED' : word,`,
    detectedBy: ['ray-ends-are-true'],
    load: { framework: 'ray', kinds: ['RayJob'], minutes: 0.5 },
  },
  {
    what: 'Each RayCluster of a RayJob is created twice, under two names.',
    file: `${ENGINE}/reconcile/write-children.ts`,
    find: `export async function createChild(run: ReconcileRun, child: ChildKind, object: KubeObject): Promise<void> {`,
    replace: `export async function createChild(run: ReconcileRun, child: ChildKind, object: KubeObject): Promise<void> {
  if (child.resource.kind === 'RayCluster') {
    const metadata = { ...object.metadata, name: nameOf(object) + 'b' };
    await run.dependencies.client.create(child.resource, { ...object, metadata }).catch(() => undefined);
  }`,
    detectedBy: ['one-cluster-per-attempt'],
    load: { framework: 'ray', kinds: ['RayJob'], minutes: 0.5 },
  },
  {
    what: 'A RayCronJob creates runs before the earlier ones have ended, also with concurrencyPolicy Forbid.',
    file: `${RAY}/cron-job/cron-step.ts`,
    find: `  if (policy === 'Forbid' && active !== undefined) {`,
    replace: `  if (policy === 'Forbid' && active !== undefined && nowMs < 0) {`,
    detectedBy: ['one-run-per-schedule-time'],
    load: { framework: 'ray', kinds: ['RayCronJob'], minutes: 2.5 },
  },
  {
    what: 'The RayCluster that gets the requests of a RayService counts as unused.',
    file: `${RAY}/service/service-step.ts`,
    find: `  const inUse = [active, pending].flatMap((side) => side ?? []);`,
    replace: `  const inUse = [pending].flatMap((side) => side ?? []);`,
    detectedBy: ['service-keeps-its-cluster'],
    load: { framework: 'ray', kinds: ['RayService'], minutes: 1.5 },
  },
  {
    what: 'Objects of a job do not name it as their controller.',
    file: `${ENGINE}/model/ownership.ts`,
    find: `    controller: true,
    blockOwnerDeletion`,
    replace: `    controller: false,
    blockOwnerDeletion`,
    detectedBy: ['everything-is-owned'],
  },
  {
    what: 'A request needs a right that the chart does not grant.',
    file: `${ENGINE}/reconcile/write-children.ts`,
    find: `  const { uid = '', resourceVersion = '' } = object.metadata ?? {};
  // By default, the API server`,
    replace: `  const { uid = '', resourceVersion = '' } = object.metadata ?? {};
  await run.dependencies.client.list({ group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', namespaced: true }).catch(() => undefined);
  // By default, the API server`,
    detectedBy: ['no-missing-rights'],
  },
];
