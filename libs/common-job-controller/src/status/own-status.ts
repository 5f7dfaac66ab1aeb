/**
 * A job's status where the installed CustomResourceDefinition is another operator's: the API server drops the fields that
 * it does not know. What of Muster's must not be lost is then kept in an annotation of the job, at the cost of one more
 * write for each status. Which definition it is, the answer to a status write tells: `state` is in it, or is not.
 */
import { ANNOTATIONS, jobStatusSchema, type JobStatus, type ReplicaStatus } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { recordIn } from '../contract/read-manifest.ts';
import type { JobManifest } from '../model/training-job.ts';

/** The fields that upstream's definition has as well. */
const SHARED: ReadonlySet<string> = new Set([
  'conditions',
  'replicaStatuses',
  'startTime',
  'completionTime',
  'lastReconcileTime',
]);
const SHARED_OF_ROLES: ReadonlySet<string> = new Set(['active', 'succeeded', 'failed', 'selector', 'labelSelector']);
const NONE: ReadonlySet<string> = new Set();

interface OwnStatus {
  readonly job?: JobStatus;
  readonly roles?: Readonly<Record<string, ReplicaStatus>>;
}

/** Whether the API server has dropped the engine's own from a status that it has stored. */
export function isStripped({ status: codec }: Pick<FrameworkAdapter, 'status'>, stored: object): boolean {
  const record: JobStatus | undefined = codec?.recordIn === undefined ? stored : recordIn(codec.recordIn, stored);
  return record?.state === undefined;
}

/** The annotation's value for `status`: of a kind whose status has a form of its own, all of it. */
export function ownStatusOf({ status: codec }: Pick<FrameworkAdapter, 'status'>, status: JobStatus): string {
  const [shared, sharedOfRoles] = codec?.recordIn === undefined ? [SHARED, SHARED_OF_ROLES] : [NONE, NONE];
  const roles = Object.entries(status.replicaStatuses ?? {})
    .map(([role, fields]) => [role, without(fields, sharedOfRoles)] as const)
    .filter(([, fields]) => Object.keys(fields).length > 0);
  const { replicaStatuses: _roles, ...rest } = without(status, shared);
  const own: OwnStatus = { job: rest, ...(roles.length > 0 && { roles: Object.fromEntries(roles) }) };
  return JSON.stringify(own);
}

/** The manifest with its whole status. */
export function recorded(adapter: Pick<FrameworkAdapter, 'status'>, manifest: JobManifest): JobManifest {
  const text = manifest.metadata?.annotations?.[ANNOTATIONS.status];
  const status: JobStatus | undefined = manifest.status;
  if (text === undefined || status === undefined || !isStripped(adapter, status)) return manifest;
  const { job, roles = {} } = parsed(text);
  const field = adapter.status?.recordIn;
  if (field !== undefined) return { ...manifest, status: { ...status, [field]: { ...job, replicaStatuses: roles } } };
  const merged = Object.entries(status.replicaStatuses ?? {}).map(
    ([role, fields]) => [role, { ...roles[role], ...fields }] as const,
  );
  return { ...manifest, status: { ...job, ...status, replicaStatuses: Object.fromEntries(merged) } };
}

/** What is no status was not written by Muster, and says nothing. */
function parsed(text: string): OwnStatus {
  try {
    const { job, roles } = Object(JSON.parse(text)) as Record<string, unknown>;
    // With what only some kinds have: a field that got lost here would be written anew in every pass.
    const status = jobStatusSchema.loose().safeParse({ ...fieldsOf(job), replicaStatuses: roles ?? {} });
    if (!status.success) return {};
    const { replicaStatuses, ...rest } = status.data;
    return { job: rest, ...(replicaStatuses && { roles: replicaStatuses }) };
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): object | null {
  return typeof value === 'object' && !Array.isArray(value) ? value : {};
}

function without<T extends object>(fields: T, left: ReadonlySet<string>): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.has(name))) as Partial<T>;
}
