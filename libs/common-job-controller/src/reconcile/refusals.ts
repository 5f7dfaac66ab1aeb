/** What a refused create says: whether the job is at fault, or something of the cluster that may pass. */
import { isKubeError, type KubeError } from '@muster/kube';

/**
 * - `invalid`: the API server's own validation names fields of the object, or cannot decode it. The same object is never let
 *   through, so the job has to be changed.
 * - `refused`: a policy, a webhook, a quota, an admission plugin, missing rights. That may pass, and says nothing about the job.
 *   A ValidatingAdmissionPolicy answers with Invalid as validation does, a webhook with whatever code it likes.
 */
export type Verdict = 'invalid' | 'refused';

/** In the words of k8s.io/apiserver, of webhooks and of admission policies in CEL. */
const ADMISSION = /admission webhook "|(Validating|Mutating)AdmissionPolicy '/;
const DECODING = /cannot be handled as an? |strict decoding error/;
const WEBHOOK_AWAY = /failed (to call|calling) webhook/;

/** Answers that ask for the request once more, and one about the operator's own credentials. */
const PASSING_CODES = new Set([401, 408, 409, 429]);

/** Undefined of an answer that refuses nothing: an outage, a conflict, too many requests. */
export function verdictOn(error: unknown): Verdict | undefined {
  if (!isKubeError(error)) return undefined;
  const words = error.status?.message ?? error.message;
  if (isOwnValidation(error, words)) return 'invalid';
  const isRefused = error.code >= 400 && error.code < 500 && !PASSING_CODES.has(error.code);
  return isRefused || WEBHOOK_AWAY.test(words) ? 'refused' : undefined;
}

function isOwnValidation({ reason, status }: KubeError, words: string): boolean {
  if (ADMISSION.test(words)) return false;
  if (reason === 'BadRequest') return DECODING.test(words);
  return reason === 'Invalid' && (status?.details?.causes ?? []).some(({ field = '' }) => field !== '');
}
