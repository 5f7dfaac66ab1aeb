/** How a container of a pod failed; for a restarted container, its last failure. */
import { errorMessage } from '@muster/program-output';
import type { ContainerStatus, JobFailure, Pod } from '@muster/job-api';
import { exitCodeMeaning } from './exit-code-meaning.ts';

export interface BadEnd {
  /** Undefined if the pod failed as a whole (evicted, lost node). */
  readonly container?: string;
  readonly exitCode?: number;
  /** The reason and message of the kubelet. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** Such as `exit code 137 (OOMKilled): …`. */
  readonly what: string;
  /** The error that the program or the kubelet reported. */
  readonly error?: string | undefined;
  readonly at: string | undefined;
  /** Whether the container has been restarted, so that the log is that of the previous run. */
  readonly isPrevious: boolean;
}

/** Undefined if no container failed. */
export function badEndOf({ status }: Pod): BadEnd | undefined {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const ends = containers.flatMap((container) => endOf(container) ?? []);
  const [first] = ends.sort((a, b) => (a.at ?? '').localeCompare(b.at ?? ''));
  if (first !== undefined || status?.phase !== 'Failed') return first;
  const { reason, message } = status;
  return { what: messageOf(status), reason, message, error: errorLine(message), at: undefined, isPrevious: false };
}

function endOf({ name, state, lastState }: ContainerStatus): BadEnd | undefined {
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined || ended.exitCode === 0) return undefined;
  const { exitCode, finishedAt, reason, message } = ended;
  return {
    container: name,
    exitCode,
    what: messageOf({ ...ended, exitCode }),
    reason,
    message,
    error: errorLine(message),
    at: finishedAt,
    isPrevious: state?.terminated === undefined,
  };
}

/** The failure in one line, without an error that `shown` contains. */
export function messageOf(
  { exitCode, reason = '', message }: Pick<JobFailure, 'exitCode' | 'reason' | 'message'>,
  shown = '',
): string {
  const line = errorLine(message);
  const error = line === undefined || shown.includes(line) ? '' : line;
  if (exitCode === undefined) return error === '' ? reason || 'Failed' : `${reason || 'Failed'}: ${error}`;
  const named = reason === '' || reason === 'Error' ? '' : ` (${reason})`;
  const meaning = exitCodeMeaning(exitCode, reason);
  const text = error === '' ? '' : `; message: ${error}`;
  return `exit code ${exitCode}${named}${meaning === undefined ? '' : `: ${meaning}`}${text}`;
}

/** The error in one line; undefined without output. */
export function errorLine(output: string | undefined): string | undefined {
  return errorMessage(output)?.split('\n').at(-1);
}
