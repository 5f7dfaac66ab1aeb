/**
 * What happens to a manifest from its creation to its end, and whether that is allowed: it is refused with the path of a field, or it
 * runs and its status says what happens. Pure: thousands of manifests take seconds.
 */
import {
  gangSchedulerNamed,
  manifestProblems,
  planJob,
  newWorld,
  readJob,
  runPolicyOf,
  statusOf,
  type JobManifest,
  type Plan,
  type PlanSettings,
} from '@muster/common-job-controller';
import { admitted, annotationProblems, problemsOf, type FieldProblem, type KubeObject } from '@muster/job-api';
import { ignoredParts, plannedObjects, warnings } from '../../src/planned-objects.ts';
import { jobMetadataProblems } from '../../src/validation/metadata-problems.ts';
import { fits } from './field-path.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { POD_FATES, type PodFate } from './others.ts';
import { PureJob } from './pure-job.ts';
import type { SpecKind } from './spec-kind.ts';

export const OUTCOMES = [
  'refused',
  'invalid',
  'foreign',
  'failed',
  'succeeded',
  'running',
  'waiting',
  'suspended',
] as const;

/**
 * - `refused`: by the API server, with a field path
 * - `invalid`: by the operator, in the job's status
 * - `foreign`: another controller runs it
 * - others: the last state of the job
 */
export type Outcome = (typeof OUTCOMES)[number];

/** What must not happen. */
export type Fault =
  'thrown' | 'silent' | 'bad path' | 'unreported refusal' | 'invalid object' | 'unstable' | 'endless' | 'disagreement';

export type Judgement =
  { readonly outcome: Outcome; readonly refusedObjects: number } | { readonly fault: Fault; readonly detail: string };

export interface Surroundings {
  readonly settings: PlanSettings;
  readonly fate: PodFate;
}

const GANGS = [undefined, undefined, 'volcano', 'kubernetes', 'coscheduling', 'yunikorn'] as const;

/** The settings of the operator, and how pods end, for this number. */
export function surroundings(number: number): Surroundings {
  const gangName = GANGS[number % GANGS.length];
  const gang = gangName === undefined ? undefined : gangSchedulerNamed(gangName);
  const serviceMode = number % 5 === 0 ? 'PerReplica' : 'PerJob';
  const settings = {
    serviceMode,
    clusterDomain: 'cluster.local',
    writesPerRun: 500,
    ...(gang && { gang, gangs: [] }),
  } as const;
  return { settings, fate: POD_FATES[Math.floor(number / 7) % POD_FATES.length] ?? 'succeed' };
}

class FaultError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, detail: string) {
    super(detail);
    this.fault = fault;
  }
}

export function judge(kind: SpecKind, manifest: JsonObject, { settings, fate }: Surroundings): Judgement {
  try {
    return judged(kind, manifest, settings, fate);
  } catch (error) {
    if (error instanceof FaultError) return { fault: error.fault, detail: error.message };
    return { fault: 'thrown', detail: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function judged(kind: SpecKind, manifest: JsonObject, settings: PlanSettings, fate: PodFate): Judgement {
  const reports = commandLine(manifest, settings);
  planAsStored(kind, manifest, settings);
  const ofServer = admissionProblems(kind, manifest);
  checkPaths(manifest, ofServer);
  if (ofServer.length > 0) {
    if (reports.length === 0) throw new FaultError('disagreement', `muster plan reports nothing: ${ofServer[0]?.path}`);
    return { outcome: 'refused', refusedObjects: 0 };
  }
  const stored = admitted(kind.definition, manifest);
  const ofOperator = [...annotationProblems(stored), ...manifestProblems(kind.adapter, stored)];
  checkPaths(manifest, ofOperator);
  const job = lived(kind, stored, settings, fate);
  const judgement = judgementOn(kind, job, ofOperator);
  checkAgreement(job, judgement, reports);
  return judgement;
}

/** Of metadata and by the CRD. */
export function admissionProblems({ definition, framework }: SpecKind, manifest: JsonObject): FieldProblem[] {
  const ofMetadata = jobMetadataProblems(manifest);
  const isNamed = ofMetadata.every(({ path }) => path !== 'metadata.name');
  // A Volcano Job is checked by the operator, because the API server has Volcano's schema.
  return [...ofMetadata, ...(framework === undefined || isNamed ? problemsOf(definition, manifest) : [])];
}

function checkPaths(manifest: JsonObject, problems: readonly FieldProblem[]): void {
  for (const { path, message } of problems) {
    if (!fits(manifest, path)) throw new FaultError('bad path', `${path}: ${message}`);
    if (message.trim() === '') throw new FaultError('bad path', `${path} has no message`);
  }
}

/** `muster plan` and its warnings, for any manifest. Returns the problems that it reports. */
function commandLine(manifest: JsonObject, settings: PlanSettings): readonly string[] {
  const options = { ...settings, namespace: 'specs', startOrderInitImage: undefined };
  const object: KubeObject = manifest;
  const shown = plannedObjects(object, options);
  ignoredParts(object);
  if (!('problems' in shown)) {
    warnings(object, options);
    return [];
  }
  const failure = shown.problems.find((each) => each.startsWith('Muster cannot plan'));
  if (failure !== undefined) throw new FaultError('thrown', `muster plan: ${failure}`);
  return shown.problems;
}

/**
 * `muster plan` reports a field if the API server refuses the job's objects, and only then. A job that is suspended, or whose objects
 * are created later, has none that could be refused; nor has one that is too large to be run until then.
 */
function checkAgreement(job: PureJob, judgement: Judgement, reports: readonly string[]): void {
  if ('fault' in judgement) return;
  const [report = ''] = reports;
  const [refused] = job.refused;
  if (refused !== undefined && reports.length === 0)
    throw new FaultError('disagreement', `muster plan reports nothing: ${refused.message}`);
  if (refused !== undefined && !reports.some((each) => /^(spec|metadata)\b/.test(each)))
    throw new FaultError('invalid object', `no field of the manifest is the cause: ${report}`);
  const hasRun = refused === undefined && job.pods.length > 0 && !isLarge(job);
  if (hasRun && reports.length > 0)
    throw new FaultError('disagreement', `the job runs, and muster plan reports: ${report}`);
  checkPaths(
    job.manifest as unknown as JsonObject,
    reports.map((each) => ({ path: each.slice(0, each.indexOf(': ')), message: each })),
  );
}

/**
 * A manifest that was stored before the rules of the CRD: the operator must plan it, whatever it contains. Another operator's
 * CRD has other defaults, or none.
 */
function planAsStored({ adapter }: SpecKind, manifest: JsonObject, settings: PlanSettings): void {
  const { metadata, spec, ...rest } = withoutNulls(manifest) as JsonObject;
  // Metadata is validated under any CRD.
  if (jobMetadataProblems(manifest).length > 0) return;
  const stored = {
    ...rest,
    ...(spec !== undefined && { spec }),
    metadata: { ...(isObject(metadata ?? null) ? (metadata as JsonObject) : {}), uid: 'uid', generation: 1 },
  };
  const job = stored as unknown as JobManifest;
  adapter.references?.of(job);
  adapter.agingStates?.(job, [], { ownedResources: [], references: [] });
  for (const gauge of adapter.gauges ?? []) gauge.samples(job);
  planJob(adapter, newWorld(job, 0), settings);
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, content]) => (content === null ? [] : [[field, withoutNulls(content)]])),
  );
}

const MOST_RUNS = 12;
const MOST_STEPS = 8;
const LARGE = 120;

function lived(kind: SpecKind, stored: JobManifest, settings: PlanSettings, fate: PodFate): PureJob {
  const job = new PureJob(kind.adapter, stored, settings);
  for (let step = 0; step < MOST_STEPS; step++) {
    const { requeueAfterMs } = settle(job);
    if (job.isGone || isLarge(job)) break;
    const hasChanged = job.advance(fate, Math.min(Math.max(requeueAfterMs ?? 5000, 5000), 3_600_000));
    if (!hasChanged && requeueAfterMs === undefined) break;
  }
  return job;
}

/** Its life would take seconds. Refused pods are reported by the next run. */
function isLarge({ pods, refused }: PureJob): boolean {
  return pods.length > LARGE && refused.length === 0;
}

/** Reconcile runs until there is nothing to write. */
function settle(job: PureJob): Plan {
  let last = '';
  for (let run = 0; run < MOST_RUNS; run++) {
    const plan = job.plan();
    const text = textOf(plan);
    if (run === 0 && text !== textOf(job.plan()))
      throw new FaultError('unstable', `two plans of one World differ: ${text.slice(0, 300)}`);
    if (!job.execute(plan) || job.isGone || isLarge(job)) return plan;
    last = text;
  }
  throw new FaultError('endless', `${MOST_RUNS} runs, each with writes; the last: ${last.slice(0, 600)}`);
}

/** Without functions, which some writes have. */
function textOf(plan: Plan): string {
  return JSON.stringify({
    ...plan,
    writes: plan.writes.map((write) => ({ ...write, resource: 'resource' in write ? write.resource.kind : '' })),
  });
}

function judgementOn(kind: SpecKind, job: PureJob, known: readonly FieldProblem[]): Judgement {
  const { adapter } = kind;
  const refusedObjects = job.refused.length;
  if (isForeign(kind, job.manifest)) {
    if (job.objects.length > 0)
      throw new FaultError('disagreement', 'objects are created for a job of another controller');
    return { outcome: 'foreign', refusedObjects };
  }
  const { conditions = [] } = statusOf(adapter, job.manifest);
  const holds = (type: string) => conditions.find((each) => each.type === type && each.status === 'True');
  const failed = holds('Failed');
  const shown = JSON.stringify(job.manifest.status ?? {});
  if (known.length > 0) {
    const first = known[0]?.path ?? '';
    if (failed?.reason !== 'InvalidSpec' || failed.message?.includes(first) !== true)
      throw new FaultError('silent', `the status does not report ${first}: ${shown}`);
    if (job.objects.length > 0)
      throw new FaultError('disagreement', `objects are created for an invalid job: ${first}`);
    return { outcome: 'invalid', refusedObjects };
  }
  checkRefusedObjects(job, conditions);
  if (job.isGone) return { outcome: 'succeeded', refusedObjects };
  if (failed !== undefined) return { outcome: failed.reason === 'InvalidSpec' ? 'invalid' : 'failed', refusedObjects };
  if (holds('Succeeded') !== undefined) return { outcome: 'succeeded', refusedObjects };
  if (holds('Suspended') !== undefined) return { outcome: 'suspended', refusedObjects };
  if (job.pods.length > 0 || job.objects.some(({ kind: each }) => each === 'RayCluster' || each === 'RayJob'))
    return { outcome: 'running', refusedObjects };
  const reasons = conditions.filter(
    ({ type, status, message = '' }) => type !== 'Created' && status === 'True' && message !== '',
  );
  if (reasons.length === 0 && !isScaledToNothing(kind, job))
    throw new FaultError('silent', `no pods and no condition: ${shown}`);
  return { outcome: 'waiting', refusedObjects };
}

function isScaledToNothing({ adapter }: SpecKind, { manifest }: PureJob): boolean {
  try {
    const { roles } = readJob(adapter, manifest);
    return roles.every(({ replicas }) => replicas === 0);
  } catch {
    return false;
  }
}

function isForeign({ adapter }: SpecKind, manifest: JobManifest): boolean {
  if (adapter.lifecycle.isOurs?.(manifest) === false) return true;
  const { managedBy } = runPolicyOf(adapter, manifest);
  return managedBy !== undefined && !adapter.lifecycle.managers.includes(managedBy);
}

/** The job says why an object was refused; of several, one is enough. */
function checkRefusedObjects({ refused, events }: PureJob, conditions: readonly { message?: string }[]): void {
  const [first] = refused;
  if (first === undefined) return;
  const reports = [...conditions.map(({ message = '' }) => message), ...events];
  const isReported = refused.some(({ message }) => reports.some((report) => report.includes(message)));
  if (!isReported) throw new FaultError('unreported refusal', first.message);
}
