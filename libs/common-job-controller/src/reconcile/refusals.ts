import { isKubeError, type KubeError } from '@muster/kube';

/**
 * - `invalid`: the API server's validation names fields, or cannot decode the object, so the job has to be changed.
 * - `refused`: a policy, webhook, quota, admission plugin or missing permission, which may be temporary. A
 * ValidatingAdmissionPolicy answers Invalid like validation does; a webhook may use any code.
 */
export type Rejection = 'invalid' | 'refused';

/** Messages of k8s.io/apiserver, of webhooks and of admission policies in CEL. */
const ADMISSION = /admission webhook "|(Validating|Mutating)AdmissionPolicy '/;
const DECODING = /cannot be handled as an? |strict decoding error/;
const WEBHOOK_AWAY = /failed (to call|calling) webhook/;

/** Codes that ask for another attempt, and 401, about the operator's own credentials. */
const TEMPORARY_CODES = new Set([401, 408, 409, 429]);

/** Undefined for outages, conflicts and throttling. */
export function rejectionOf(error: unknown): Rejection | undefined {
  if (!isKubeError(error)) return undefined;
  const message = error.status?.message ?? error.message;
  if (isOwnValidation(error, message)) return 'invalid';
  const isRefused = error.code >= 400 && error.code < 500 && !TEMPORARY_CODES.has(error.code);
  return isRefused || WEBHOOK_AWAY.test(message) ? 'refused' : undefined;
}

function isOwnValidation({ reason, status }: KubeError, message: string): boolean {
  if (ADMISSION.test(message)) return false;
  if (reason === 'BadRequest') return DECODING.test(message);
  return reason === 'Invalid' && (status?.details?.causes ?? []).some(({ field = '' }) => field !== '');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
