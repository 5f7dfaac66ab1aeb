import type { Pod } from '@muster/job-api';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { RestartRecord } from '../model/restart-records.ts';

export interface Restart {
  readonly replica: ReplicaPod & { readonly pod: Pod };
  /** The earliest time. Until then the failed pod is kept, with its log. */
  readonly dueMs: number;
  /** The number of its pods that ended in a row, through failures or disruptions. */
  readonly failures: number;
  readonly isNew: boolean;
}

export interface RestartEntry {
  readonly before: RestartRecord | undefined;
  readonly record: RestartRecord | undefined;
  readonly restarts: number;
  readonly inPlace: number;
  readonly disruptions: number;
  readonly restart: Restart | undefined;
}
