/**
 * What two operators make of the same job: the one that runs it, and Muster's plan for the same world. Pure.
 *
 * A job that only one of them has ended has one difference: its end. All others follow from it.
 */
import {
  type Difference,
  type FrameworkAdapter,
  isControlledBy,
  type JobManifest,
  type Plan,
  statusOf,
  type Write,
} from '@muster/common-job-controller';
import { PODS, type JobStatus, type KubeObject, type Pod } from '@muster/job-api';
import { comparedObject } from './compared-object.ts';
import { comparedStatus, type Comparison } from './compared-status.ts';

export interface Compared {
  readonly adapter: FrameworkAdapter;
  /** With the status of the other operator. */
  readonly manifest: JobManifest;
  /** As Muster would have stored it. */
  readonly ours: object;
  readonly plan: Plan;
}

const NO_DIFFERENCE: Comparison = { same: 0, differences: [] };

export function comparedRun({ adapter, manifest, ours, plan }: Compared): Comparison {
  const { status: theirs = {} } = manifest;
  const [theirEnd, ourEnd] = [endOf(theirs), endOf(ours)];
  if (theirEnd !== ourEnd) {
    return {
      same: 0,
      differences: [{ field: 'end', theirs: theirEnd ?? stateOf(theirs), ours: ourEnd ?? stateOf(ours) }],
    };
  }
  const { recordIn } = adapter.status ?? {};
  const shown = recordIn === undefined ? ours : { ...ours, [recordIn]: undefined };
  const status = comparedStatus(theirs, shown);
  return together({ ...status, same: status.same + 1 }, { same: 0, differences: plan.writes.flatMap(wanted) });
}

/** Objects of a new job, compared with those of the other operator that have the same place in it. */
export function comparedObjects(
  adapter: FrameworkAdapter,
  manifest: JobManifest,
  planned: readonly KubeObject[],
  existing: readonly KubeObject[],
): Comparison {
  const variables = namesOfVariables(manifest.spec ?? {});
  const isSecret = (name: string) => variables.has(name);
  return existing.reduce((before, theirs) => {
    const alike = planned.filter((each) => each.kind === theirs.kind && isSamePlace(adapter, each, theirs));
    const compared = alike.map((ours) => comparedObject(whatOf(adapter, theirs), theirs, ours, isSecret));
    // Where names are unique, any of the pods may have the place.
    const [closest] = compared.toSorted((a, b) => a.differences.length - b.differences.length);
    return closest === undefined ? before : together(before, closest);
  }, NO_DIFFERENCE);
}

export function together(one: Comparison, other: Comparison): Comparison {
  return { same: one.same + other.same, differences: [...one.differences, ...other.differences] };
}

/** For each role the first pod and the last, whose differences those of the others are like. */
export function typicalPods(adapter: FrameworkAdapter, uid: string, pods: readonly Pod[]): Pod[] {
  const own = pods.filter((pod) => isControlledBy(uid, pod));
  const byRole = Map.groupBy(own, (pod) => adapter.labels.replicaOf(pod)?.role ?? '');
  return [...byRole.values()].flatMap((same) => {
    const ordered = same.toSorted((a, b) => indexOf(adapter, a) - indexOf(adapter, b));
    return [...new Set([ordered[0]!, ordered.at(-1)!])];
  });
}

function indexOf(adapter: FrameworkAdapter, pod: Pod): number {
  return adapter.labels.replicaOf(pod)?.index ?? 0;
}

function isSamePlace(adapter: FrameworkAdapter, ours: KubeObject, theirs: KubeObject): boolean {
  if (ours.kind !== PODS.kind) return ours.metadata?.name === theirs.metadata?.name;
  const [own, other] = [adapter.labels.replicaOf(ours as Pod), adapter.labels.replicaOf(theirs as Pod)];
  const isNumbered = own?.index !== undefined && other?.index !== undefined;
  return own?.role === other?.role && (!isNumbered || own?.index === other?.index);
}

function whatOf(adapter: FrameworkAdapter, object: KubeObject): string {
  const place = object.kind === PODS.kind ? adapter.labels.replicaOf(object as Pod)?.role : undefined;
  return place === undefined ? `${object.kind}` : `Pod of ${place}`;
}

function wanted(write: Write): Difference[] {
  switch (write.op) {
    case 'addFinalizer':
    case 'removeFinalizer':
      return [{ field: write.op, theirs: '', ours: write.name }];
    case 'deleteJob':
      return [{ field: 'deleteJob', theirs: '', ours: 'deleted' }];
    case 'call':
      return [];
    default: {
      const { resource, object, op } = write;
      const { name = '' } = object.metadata ?? {};
      const fields = op === 'patch' ? `: ${pathsOf(write.patch).join(', ')}` : '';
      const isDeletion = op === 'delete' || op === 'forceDelete';
      return [
        { field: `${op} ${resource.kind}${fields}`, theirs: isDeletion ? name : '', ours: isDeletion ? '' : name },
      ];
    }
  }
}

/** The changed fields of an object's parts: `metadata.labels`, `spec.metrics`. */
function pathsOf(patch: object): string[] {
  return Object.entries(patch).flatMap(([part, fields]) =>
    Object.keys(Object(fields) as object).map((name) => `${part}.${name}`),
  );
}

function endOf(status: Partial<JobStatus>): string | undefined {
  const ended = status.conditions?.find(
    ({ type, status: is }) => (type === 'Succeeded' || type === 'Failed') && is === 'True',
  );
  return ended?.type;
}

function stateOf(status: Partial<JobStatus>): string {
  return status.conditions?.findLast(({ status: is }) => is === 'True')?.type ?? 'New';
}

export function recordOf(adapter: FrameworkAdapter, manifest: JobManifest, ours: object): JobStatus {
  return statusOf(adapter, { ...manifest, status: ours });
}

/** Variables of the manifest. Their values may be secrets. */
function namesOfVariables(value: unknown, names: Set<string> = new Set()): Set<string> {
  if (Array.isArray(value)) for (const each of value as unknown[]) namesOfVariables(each, names);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'env' && Array.isArray(inner)) {
        for (const { name } of inner as readonly { readonly name?: string }[]) if (name !== undefined) names.add(name);
      }
      namesOfVariables(inner, names);
    }
  }
  return names;
}
