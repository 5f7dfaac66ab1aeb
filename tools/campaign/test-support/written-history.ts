/** Writes the history of one PyTorchJob, change by change, a second each. */
import { LABELS } from '@muster/job-api';
import type { Change, History, SentWrite, StoredObject } from '../src/history/history.ts';
import { jobStories } from '../src/history/job-story.ts';
import type { Invariant, Violation } from '../src/invariants/invariant.ts';

const NAMESPACE = 'team';
export const JOB = { resource: 'pytorchjobs.kubeflow.org', name: 'mnist', uid: 'job' } as const;

interface Place {
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

export interface Condition {
  readonly type: string;
  readonly status?: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

export class WrittenHistory {
  readonly changes: Change[] = [];
  readonly writes: SentWrite[] = [];
  readonly #objects = new Map<string, StoredObject>();
  #nowMs = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  get revision(): number {
    return this.changes.length;
  }

  wait(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  /** Creates the object, or changes the given parts of it. */
  put({ resource, name, uid }: Place, object: StoredObject): this {
    const before = this.#objects.get(uid);
    const metadata = { namespace: NAMESPACE, name, uid, ...before?.metadata, ...object.metadata };
    const after = { ...before, ...object, metadata };
    this.#objects.set(uid, after);
    return this.#note({ resource, name, ...(before && { before }), after });
  }

  remove({ resource, name, uid }: Place): this {
    const before = this.#objects.get(uid);
    this.#objects.delete(uid);
    return this.#note({ resource, name, ...(before && { before }) });
  }

  job(spec: object, ...conditions: readonly Condition[]): this {
    return this.status({ conditions: conditions.map((each) => ({ status: 'True', ...each })) }, spec);
  }

  status(status: object, spec?: object): this {
    const object = { kind: 'PyTorchJob', status, ...(spec && { spec }) } as StoredObject;
    return this.put(JOB, object);
  }

  /** @param replica role and index, also the pod's name; by default its UID, too */
  pod(replica: string, phase: string, { uid = replica, name = `mnist-${replica}`, ...status }: PodOptions = {}): this {
    const [role = '', index = ''] = replica.split('-');
    const labels = { [LABELS.replicaType]: role, [LABELS.replicaIndex]: index };
    return this.put(
      { resource: 'pods', name, uid },
      { metadata: { labels, ownerReferences: [OWNER] }, status: { phase, ...status } },
    );
  }

  deletePod(uid: string, name = `mnist-${uid}`): this {
    return this.remove({ resource: 'pods', name, uid });
  }

  sent(replica: string, method: string, path: string, more: Partial<SentWrite> = {}): this {
    this.writes.push({
      ...{ replica, operatorVersion: 'current', method, path, code: 200, sentMs: this.#nowMs },
      ...more,
    });
    return this;
  }

  history(more: Partial<History> = {}): History {
    const nothing = { refusals: [], rayRuns: [], exits: [], operatorStarts: 1, hasSettled: true };
    return { ...nothing, changes: this.changes, writes: this.writes, endMs: this.#nowMs, ...more };
  }

  violations(invariant: Invariant, more: Partial<History> = {}): Violation[] {
    const history = this.history(more);
    return invariant.check(history, jobStories(history));
  }

  #note(change: Pick<Change, 'resource' | 'name' | 'before' | 'after'>): this {
    this.#nowMs += 1000;
    this.changes.push({ ...change, namespace: NAMESPACE, revision: this.changes.length + 1, atMs: this.#nowMs });
    return this;
  }
}

interface PodOptions {
  readonly uid?: string;
  readonly name?: string;
  readonly conditions?: readonly Condition[];
}

export const OWNER = { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', name: 'mnist', uid: 'job', controller: true };

/** The spec of a job with that many workers. */
export function workers(replicas: number, runPolicy: object = {}): object {
  return { pytorchReplicaSpecs: { Worker: { replicas } }, runPolicy };
}
