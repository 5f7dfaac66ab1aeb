import type { ValueOf, WATCHES } from '@muster/metrics';
import { errorCodeOf } from './answer-error.ts';
import type { KubeError } from './kube-error.ts';

export type RestartReason = ValueOf<typeof WATCHES.restarts, 'reason'>;

export function restartReason(error: KubeError): RestartReason {
  if (error.reason === 'Expired' || error.reason === 'Gone') return 'expired';
  return errorCodeOf(error.cause) === 'UND_ERR_BODY_TIMEOUT' ? 'stalled' : 'error';
}
