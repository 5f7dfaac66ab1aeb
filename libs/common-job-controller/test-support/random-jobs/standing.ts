export interface Standing {
  readonly isGone: boolean;
  /** The last one in its status. */
  readonly state: string | undefined;
  readonly ready: string | undefined;
  readonly conditions: readonly string[];
  readonly counts: Readonly<Record<string, string>>;
  readonly restarts: number;
  readonly disruptions: number;
  readonly pods: Readonly<Record<string, Phase>>;
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
