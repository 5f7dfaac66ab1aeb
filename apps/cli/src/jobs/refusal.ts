/** What an API server says of an object that it does not take. */
import { isKubeError, type KubeError } from '@muster/kube';
import { CommandError } from '../exit-codes.ts';

/**
 * The error to be thrown: with one line for each field where the server has refused the object, or else `error` as it is.
 *
 * @param title what was to be made or changed: `PyTorchJob team/mnist`
 */
export function refusalOf(title: string, error: unknown): unknown {
  if (!isKubeError(error, 'Invalid', 'BadRequest', 'Forbidden', 'AlreadyExists')) return error;
  if (isAccessDenied(error))
    return new CommandError('forbidden', `${title}: ${error.status?.message ?? error.message}`);
  if (error.reason === 'AlreadyExists') {
    return new CommandError('error', `${title} is there already: delete it, or choose another name with --name.`);
  }
  return new CommandError(
    'error',
    `${title} is refused:\n${refusalLines(error)
      .map((line) => `  ${line}`)
      .join('\n')}`,
  );
}

/** Whether the user lacks a right. Admission (a quota, a policy) has the same reason, but refuses the object. */
export function isAccessDenied(error: unknown): boolean {
  return isKubeError(error, 'Forbidden') && saysAccessDenied(error.message);
}

/** The same of an error that is known by its message alone. */
export function saysAccessDenied(message: string): boolean {
  return /is forbidden: User "[^"]*" cannot /.test(message);
}

/** One line for each field, with its path in front. */
export function refusalLines({ status, message }: Pick<KubeError, 'status' | 'message'>): string[] {
  const causes = status?.details?.causes ?? [];
  const lines = causes.map(({ field = '', message: said, reason = '' }) => {
    const path = field.replace(/^[.]/, '');
    return `${path === '' ? '' : `${path}: `}${said ?? reason}`;
  });
  if (lines.length > 0) return [...new Set(lines)];
  const fields = [...message.matchAll(/(unknown|duplicate) field "([^"]+)"/g)];
  return fields.length > 0 ? fields.map(([, what, path]) => `${path}: ${what} field`) : [status?.message ?? message];
}
