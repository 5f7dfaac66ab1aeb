/** How a pod's container has ended badly: the last time, if it has been started again since. */
import { errorMessage } from '@muster/common-job-controller';
import type { ContainerStatus, JobFailure, Pod } from '@muster/job-api';
import { exitCodeMeaning } from './exit-code-meaning.ts';

export interface BadEnd {
  /** Undefined where the pod was ended as a whole (evicted, a lost node). */
  readonly container?: string;
  readonly exitCode?: number;
  /** As the kubelet names it, and what it adds. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** In words: `exit code 137 (OOMKilled): …`. */
  readonly what: string;
  /** The error that the program or the kubelet has reported. */
  readonly error?: string | undefined;
  readonly at: string | undefined;
  /** Whether the container has been started again, so that its log is that of the one before. */
  readonly isPrevious: boolean;
}

/** Undefined where nothing in it has ended badly. */
export function badEndOf({ status }: Pod): BadEnd | undefined {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const ends = containers.flatMap((container) => endOf(container) ?? []);
  const [first] = ends.sort((a, b) => (a.at ?? '').localeCompare(b.at ?? ''));
  if (first !== undefined || status?.phase !== 'Failed') return first;
  const { reason, message } = status;
  return { what: inWords(status), reason, message, error: errorLine(message), at: undefined, isPrevious: false };
}

function endOf({ name, state, lastState }: ContainerStatus): BadEnd | undefined {
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined || ended.exitCode === 0) return undefined;
  const { exitCode, finishedAt, reason, message } = ended;
  return {
    container: name,
    exitCode,
    what: inWords({ ...ended, exitCode }),
    reason,
    message,
    error: errorLine(message),
    at: finishedAt,
    isPrevious: state?.terminated === undefined,
  };
}

/** How it failed, on one line, without an error that `shown` has already. */
export function inWords(
  { exitCode, reason = '', message }: Pick<JobFailure, 'exitCode' | 'reason' | 'message'>,
  shown = '',
): string {
  const line = errorLine(message);
  const error = line === undefined || shown.includes(line) ? '' : line;
  if (exitCode === undefined) return error === '' ? reason || 'Failed' : `${reason || 'Failed'}: ${error}`;
  const named = reason === '' || reason === 'Error' ? '' : ` (${reason})`;
  const meaning = exitCodeMeaning(exitCode, reason);
  const said = error === '' ? '' : `; it says: ${error}`;
  return `exit code ${exitCode}${named}${meaning === undefined ? '' : `: ${meaning}`}${said}`;
}

/** The error in one line; undefined of no output. */
export function errorLine(output: string | undefined): string | undefined {
  return errorMessage(output)?.split('\n').at(-1);
}
