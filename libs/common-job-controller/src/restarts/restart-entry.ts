/** What follows from one replica for the restarts of its job. */
import type { Pod } from '@muster/job-api';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { RestartRecord } from '../model/restart-records.ts';

/** A pod that is recreated: it has failed, or goes with one that has. */
export interface Restart {
  readonly replica: ReplicaPod & { readonly pod: Pod };
  /** From when on; until then the failed pod stays, with its log. */
  readonly dueMs: number;
  /** How many of its pods in a row have ended so, whoever ended them. */
  readonly failures: number;
  /** Whether this pass is the first to see it. */
  readonly isNew: boolean;
}

export interface RestartEntry {
  readonly before: RestartRecord | undefined;
  readonly record: RestartRecord | undefined;
  readonly restarts: number;
  /** How many of those were in place. */
  readonly inPlace: number;
  readonly disruptions: number;
  readonly restart: Restart | undefined;
}
