/**
 * Under another operator's CustomResourceDefinition, the API server drops Muster's status fields. They are then kept in an annotation of the
 * job, at the cost of one more write. The stored answer to a status write shows the case: `state` is missing.
 */
import { ANNOTATIONS, jobStatusSchema, type JobStatus, type ReplicaStatus } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { recordIn } from '../contract/read-manifest.ts';
import type { JobManifest } from '../model/training-job.ts';

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

export function isStripped({ status: codec }: Pick<FrameworkAdapter, 'status'>, stored: object): boolean {
  const record: JobStatus | undefined = codec?.recordIn === undefined ? stored : recordIn(codec.recordIn, stored);
  return record?.state === undefined;
}

/** Has all fields for a kind with its own form of status. */
export function ownStatusOf({ status: codec }: Pick<FrameworkAdapter, 'status'>, status: JobStatus): string {
  const [shared, sharedOfRoles] = codec?.recordIn === undefined ? [SHARED, SHARED_OF_ROLES] : [NONE, NONE];
  const roles = Object.entries(status.replicaStatuses ?? {})
    .map(([role, fields]) => [role, without(fields, sharedOfRoles)] as const)
    .filter(([, fields]) => Object.keys(fields).length > 0);
  const { replicaStatuses: _roles, ...rest } = without(status, shared);
  const own: OwnStatus = { job: rest, ...(roles.length > 0 && { roles: Object.fromEntries(roles) }) };
  return JSON.stringify(own);
}

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

/** Empty for a value that Muster did not write. */
function parsed(text: string): OwnStatus {
  try {
    const { job, roles } = Object(JSON.parse(text)) as Record<string, unknown>;
    // `loose` keeps the fields of single kinds: a field lost here would be written in every run.
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
