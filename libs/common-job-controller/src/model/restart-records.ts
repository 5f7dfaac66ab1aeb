/**
 * The counted restarts in a job's status. Replicas with equal counts share a group, so that 30,000 replicas fit. A mark, a four-character
 * hash of the pod's UID, identifies the pod that was counted last. One in sixteen million new pods has the same mark: its restart is not
 * counted. The earlier format, one record per pod, is read as well.
 */
import type { RestartGroup } from '@muster/job-api';
import type { Replica, ReplicaRole, TrainingJob } from './training-job.ts';
import { formatIndexes, parseIndexes } from './index-set.ts';
import { podNameOf } from './pod-name.ts';
import { placeKey } from './replica-hosts.ts';

/** In bytes of JSON. With another operator's CRD they are stored in an annotation; all annotations of an object share 256 KiB. */
const MOST_BYTES = 128 * 1024;

type Counted = Pick<
  RestartGroup,
  'containerRestarts' | 'workload' | 'replacedPods' | 'replaced' | 'failures' | 'lastFailureTime' | 'delaySeconds'
>;

export interface RestartRecord extends Counted {
  readonly replica: Replica;
  /** Mark of the pod that was counted last. */
  readonly mark: string;
}

const MARK_LENGTH = 4;
/** Bounds the memory for a status of another program. */
const MOST_INDEXES = 1_000_000;

/** FNV-1a, folded to 24 bits. */
export function markOf(uid: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < uid.length; at++) hash = Math.imul(hash ^ uid.charCodeAt(at), 0x01000193);
  const folded = (hash >>> 24) ^ (hash & 0xffffff);
  return Buffer.from([folded >> 16, folded >> 8, folded]).toString('base64url');
}

/** By `placeKey`. */
export type RestartRecords = ReadonlyMap<string, RestartRecord>;

export function restartRecords({ status, ...job }: TrainingJob): RestartRecords {
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
  return [...parseIndexes(indexes, MOST_INDEXES)].map((index, at) => {
    const mark = marks.slice(at * MARK_LENGTH, (at + 1) * MARK_LENGTH);
    return { replica: { role, index }, mark, ...counted };
  });
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
    const byIndex = [...marks].sort(([a], [b]) => a - b).map(([, mark]) => mark);
    return { role: role.name, indexes: formatIndexes(marks.keys()), marks: byIndex.join(''), ...counted };
  });
}

export function fitsStatus(records: readonly RestartRecord[]): boolean {
  return JSON.stringify(restartGroups(records)).length <= MOST_BYTES;
}
