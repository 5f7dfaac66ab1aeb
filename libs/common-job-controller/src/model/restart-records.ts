/**
 * How the restarts that are counted stand in a job's status: replicas of which the same is known share one group, so that
 * 30,000 of them fit. Which incarnation of a replica was counted says a mark of four characters, a hash of its pod's UID; one
 * in sixteen million pods has the mark of the pod before it, and then its restart is made good but not counted.
 *
 * What was written before there were groups, a record for each pod, is read as well.
 */
import type { RestartGroup } from '@muster/job-api';
import type { Replica, ReplicaRole, TrainingJob } from './training-job.ts';
import { formatIndexes, parseIndexes } from './index-set.ts';
import { podNameOf } from './pod-name.ts';
import { placeKey } from './replica-hosts.ts';

/**
 * What all groups may take, as JSON. Where another operator's CustomResourceDefinition is installed they stand in an
 * annotation, and all annotations of an object have 256 KiB.
 */
const MOST_BYTES = 128 * 1024;

/** What is known of each replica of a group. */
type Counted = Pick<
  RestartGroup,
  'containerRestarts' | 'workload' | 'replacedPods' | 'replaced' | 'failures' | 'lastFailureTime' | 'delaySeconds'
>;

/** What is counted of one replica. */
export interface RestartRecord extends Counted {
  readonly replica: Replica;
  /** Which incarnation was counted last. */
  readonly mark: string;
}

const MARK_LENGTH = 4;
/** No job has so many replicas: a status that others have written must not take all memory. */
const MOST_INDEXES = 1_000_000;

/** FNV-1a, folded to 24 bits. */
export function markOf(uid: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < uid.length; at++) hash = Math.imul(hash ^ uid.charCodeAt(at), 0x01000193);
  const folded = (hash >>> 24) ^ (hash & 0xffffff);
  return Buffer.from([folded >> 16, folded >> 8, folded]).toString('base64url');
}

/** By the place of the pod (`placeKey`). */
export function restartRecords({ status, ...job }: TrainingJob): Map<string, RestartRecord> {
  const records = (status.restarts ?? []).flatMap((group) => recordsOf(job, group));
  return new Map(records.map((record) => [placeKey(record.replica), record]));
}

type Job = Omit<TrainingJob, 'status'>;

function recordsOf(
  job: Job,
  { pod, uid = '', role: name, indexes, marks = '', ...counted }: RestartGroup,
): RestartRecord[] {
  if (pod !== undefined) {
    const replica = replicaNamed(job, pod);
    return replica === undefined ? [] : [{ replica, mark: markOf(uid), ...counted }];
  }
  const role = job.roles.find((each) => each.name === name);
  if (role === undefined) return [];
  return [...marksOf({ indexes, marks })].map(([index, mark]) => ({ replica: { role, index }, mark, ...counted }));
}

function replicaNamed(job: Job, pod: string): Replica | undefined {
  const index = Number(/\d+$/.exec(pod)?.[0] ?? 0);
  const role = job.roles.find((each) => podNameOf(job, { role: each, index }) === pod);
  return role && { role, index };
}

export function restartGroups(records: readonly RestartRecord[]): RestartGroup[] {
  const groups = new Map<string, { role: ReplicaRole; counted: Counted; marks: Map<number, string> }>();
  for (const { replica, mark, ...counted } of records) {
    const { containerRestarts, workload, replacedPods, replaced, failures, lastFailureTime, delaySeconds } = counted;
    const known = [containerRestarts, workload, replacedPods, replaced, failures, lastFailureTime, delaySeconds];
    const key = [replica.role.name, ...known].join(' ');
    const group = groups.get(key) ?? { role: replica.role, counted, marks: new Map<number, string>() };
    group.marks.set(replica.index, mark);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ role, counted, marks }) => {
    const byIndex = [...marks].sort(([a], [b]) => a - b);
    return {
      role: role.name,
      indexes: formatIndexes(marks.keys()),
      marks: byIndex.map(([, mark]) => mark).join(''),
      ...counted,
    };
  });
}

/** Whether nothing is on record in `some` that is not in `all`. */
export function areRecordsOf(some: readonly RestartGroup[], all: readonly RestartGroup[]): boolean {
  const known = new Map(all.map((group) => [saidOf(group), marksOf(group)]));
  return some.every((group) => {
    const marks = known.get(saidOf(group));
    return marks !== undefined && [...marksOf(group)].every(([index, mark]) => marks.get(index) === mark);
  });
}

/** What is known of each replica of a group, whatever the order of its fields: API servers change that. */
function saidOf({ indexes: _indexes, marks: _marks, ...said }: RestartGroup): string {
  return JSON.stringify(Object.entries(said).toSorted());
}

interface Marked {
  readonly indexes?: string | undefined;
  readonly marks?: string | undefined;
}

function marksOf({ indexes, marks = '' }: Marked): Map<number, string> {
  const each = [...parseIndexes(indexes, MOST_INDEXES)];
  return new Map(each.map((index, at) => [index, marks.slice(at * MARK_LENGTH, (at + 1) * MARK_LENGTH)]));
}

export function fitsStatus(records: readonly RestartRecord[]): boolean {
  return JSON.stringify(restartGroups(records)).length <= MOST_BYTES;
}
