/**
 * What happened in a cluster, as seen from the outside: the complete content of etcd, the writes that reached the operators' proxies, and
 * the API server's audit log. Nothing here comes from an operator.
 */
import type { KubeObject } from '@muster/job-api';

/** An object with the fields that kinds have in common. */
export type StoredObject = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
};

/** One write to etcd. */
export interface Change {
  /** Increases by one with each write; the object's `resourceVersion`. */
  readonly revision: number;
  /** When the change was seen, by this process's clock. */
  readonly atMs: number;
  /** The plural and the group: `pods`, `leases`, `pytorchjobs.kubeflow.org`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent if the object was created. */
  readonly before?: StoredObject;
  /** Absent if the object was removed. */
  readonly after?: StoredObject;
}

/** A job that the simulated head of a RayCluster accepted. */
export interface RayRun {
  readonly namespace: string;
  readonly jobId: string;
  readonly succeeds: boolean;
  /** When its program ends by itself, by the clock of {@link Change.atMs}. */
  readonly endMs: number;
}

/** A write of an operator that its proxy passed to the API server. */
export interface SentWrite {
  /** The process's place, which survives its restarts: `tensorflow/a`. */
  readonly replica: string;
  /** The label of the version that the process had: `current`, or `previous (0123abcd)`. */
  readonly operatorVersion: string;
  /** When the proxy had the whole request. */
  readonly sentMs: number;
  readonly method: string;
  readonly path: string;
  /** Of the answer; 0 if the server did not answer. */
  readonly code: number;
  /** Of the object in the answer. */
  readonly uid?: string;
  /** The object's revision after the write. */
  readonly revision?: number;
}

/** A request that authorization refused. */
export interface Refusal {
  readonly user: string;
  /** The verb, resource and name. */
  readonly request: string;
}

/** An end of an operator process that the campaign did not cause. */
export interface Exit {
  readonly replica: string;
  readonly operatorVersion: string;
  readonly atMs: number;
  /** Exit status or signal. */
  readonly end: string;
  readonly lastLines: string;
}

/** A job that a simulated head of Ray has accepted. */
export interface RayRun {
  readonly namespace: string;
  readonly jobId: string;
  readonly succeeds: boolean;
  /** When its program ends by itself, by the clock of `atMs`. */
  readonly endMs: number;
}

export interface History {
  /** In the order of the revisions, without gaps. */
  readonly changes: readonly Change[];
  readonly writes: readonly SentWrite[];
  readonly refusals: readonly Refusal[];
  /** The jobs that simulated heads of Ray have accepted. */
  readonly rayRuns: readonly RayRun[];
  readonly exits: readonly Exit[];
  /** How often operator processes were started. */
  readonly operatorStarts: number;
  /** When the history ends, by the clock of `atMs`. */
  readonly endMs: number;
  /** Whether the run waited after the last fault until nothing changed. Otherwise the last state proves nothing. */
  readonly hasSettled: boolean;
}
