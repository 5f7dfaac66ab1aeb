import type { WAITING_REASONS } from '@muster/metrics';

export type WaitingReason = keyof typeof WAITING_REASONS;

export interface Wait {
  readonly reason: WaitingReason;
  readonly message: string;
}
