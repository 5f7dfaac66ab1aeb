/** Errors for objects that the API server refuses. */
import { isKubeError, type KubeError } from '@muster/kube';
import { CommandError } from '../exit-codes.ts';

/**
 * The error to throw: with one line for each invalid field if the server refused the object, or else `error` itself.
 *
 * @param title of the object to create or change: `PyTorchJob team/mnist`
 */
export function refusalOf(title: string, error: unknown): unknown {
  if (!isKubeError(error, 'Invalid', 'BadRequest', 'Forbidden', 'AlreadyExists')) return error;
  if (isAccessDenied(error))
    return new CommandError('forbidden', `${title}: ${error.status?.message ?? error.message}`);
  if (error.reason === 'AlreadyExists') {
    return new CommandError('error', `${title} already exists: delete it, or choose another name with --name.`);
  }
  return new CommandError(
    'error',
    `${title} is refused:\n${refusalLines(error)
      .map((line) => `  ${line}`)
      .join('\n')}`,
  );
}

/** Whether the user lacks a permission. Admission (a quota, a policy) refuses objects with the same reason. */
export function isAccessDenied(error: unknown): boolean {
  return isKubeError(error, 'Forbidden') && saysAccessDenied(error.message);
}

/** The same for an error message. */
export function saysAccessDenied(message: string): boolean {
  return /is forbidden: User "[^"]*" cannot /.test(message);
}

/** One line for each field, with its path in front. */
export function refusalLines({ status, message }: Pick<KubeError, 'status' | 'message'>): string[] {
  const causes = status?.details?.causes ?? [];
  const lines = causes.map(({ field = '', message: text, reason = '' }) => {
    if (text?.includes(RULES_NOT_CHECKED) === true) return MORE_CHECKS;
    const path = field.replace(/^[.]/, '');
    return `${path === '' ? '' : `${path}: `}${text ?? reason}`;
  });
  if (lines.length > 0) return [...new Set(lines)];
  const fields = [...message.matchAll(/(unknown|duplicate) field "([^"]+)"/g)];
  return fields.length > 0 ? fields.map(([, what, path]) => `${path}: ${what} field`) : [status?.message ?? message];
}

/** The API server adds a cause for the field `<nil>` if a field has the wrong type or value. */
const RULES_NOT_CHECKED = 'some validation rules were not checked';

const MORE_CHECKS = 'Other fields are checked when these are correct.';
