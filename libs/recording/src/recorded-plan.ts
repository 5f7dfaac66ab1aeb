/** Plain data, in which plans of two versions are compared. */
import type { KubeObject, Resource } from '@muster/job-api';
import type { Plan, PlannedEvent, StatusWrite, Write } from '@muster/common-job-controller';
import { withoutSecretData } from './tagged-json.ts';

export interface RecordedWrite {
  readonly op: string;
  readonly kind?: string;
  readonly object?: KubeObject;
  readonly patch?: unknown;
}

export interface RecordedPlan {
  readonly status?: StatusWrite | undefined;
  readonly events: readonly PlannedEvent[];
  readonly writes: readonly RecordedWrite[];
  readonly lookAgainMs?: number | undefined;
  readonly validForMs?: number | undefined;
  readonly lacks: { readonly writes: Plan['pendingWrites']; readonly because: Plan['shortages'] };
  readonly probes?: Plan['probes'];
}

export function recordedPlan(plan: Plan): RecordedPlan {
  const { status, events, requeueAfterMs: lookAgainMs, validForMs, pendingWrites, shortages, probes } = plan;
  return {
    ...{ status, events },
    writes: plan.writes.map(recordedWrite),
    ...{ lookAgainMs, validForMs, lacks: { writes: pendingWrites, because: shortages }, probes },
  };
}

function recordedWrite(write: Write): RecordedWrite {
  if (!('resource' in write)) return write;
  // Functions of `ensure` are left out: they generate values when the object is created.
  const { resource, object, ...rest } = write;
  const data = Object.entries(rest).filter(([, value]) => typeof value !== 'function');
  const { op, patch } = rest as { readonly op: string; readonly patch?: object };
  return {
    ...(Object.fromEntries(data) as object),
    op,
    kind: resource.kind,
    object: withoutData(resource, object),
    ...(patch && { patch: withoutData(resource, patch) }),
  };
}

function withoutData<T extends object>({ kind }: Resource, object: T): T {
  return kind === 'Secret' ? withoutSecretData(object) : object;
}
