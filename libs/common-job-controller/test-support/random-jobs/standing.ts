/** Where a job stands: all that can be seen of it, as it is predicted and as it is. */
export interface Standing {
  readonly isGone: boolean;
  /** As its status says, or said last. */
  readonly state: string | undefined;
  readonly ready: string | undefined;
  readonly conditions: readonly string[];
  /** Of each role: how many of its replicas are active, have succeeded and have failed, as the status says. */
  readonly counts: Readonly<Record<string, string>>;
  readonly restarts: number;
  readonly disruptions: number;
  /** The pods that are there. */
  readonly pods: Readonly<Record<string, Phase>>;
  /** How often each pod was created. */
  readonly created: Readonly<Record<string, number>>;
  readonly services: readonly string[];
}

export type Phase = 'Running' | 'Succeeded' | 'Failed';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

export function conditionLine({ type, status, reason }: Condition): string {
  return `${type}=${status} ${reason}`;
}

interface RoleCounts {
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
}

export function countsLine({ active = 0, succeeded = 0, failed = 0 }: RoleCounts): string {
  return `${active} active, ${succeeded} succeeded, ${failed} failed`;
}
