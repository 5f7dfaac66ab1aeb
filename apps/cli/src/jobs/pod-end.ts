/** How a pod's container has ended badly: the last time, if it has been started again since. */
import type { ContainerStatus, JobFailure, Pod } from '@muster/job-api';
import { exitCodeMeaning } from './exit-code-meaning.ts';

export interface BadEnd {
  /** Undefined where the pod was ended as a whole (evicted, a lost node). */
  readonly container?: string;
  readonly exitCode?: number;
  /** In words: `exit code 137 (OOMKilled): …`. */
  readonly what: string;
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
  return { what: inWords(status), at: undefined, isPrevious: false };
}

function endOf({ name, state, lastState }: ContainerStatus): BadEnd | undefined {
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined || ended.exitCode === 0) return undefined;
  const { exitCode, finishedAt } = ended;
  return {
    container: name,
    exitCode,
    what: inWords({ ...ended, exitCode }),
    at: finishedAt,
    isPrevious: state?.terminated === undefined,
  };
}

/** How it failed, on one line. */
export function inWords({
  exitCode,
  reason = '',
  message = '',
}: Pick<JobFailure, 'exitCode' | 'reason' | 'message'>): string {
  const lastLine = message.trim().split('\n').at(-1) ?? '';
  if (exitCode === undefined) return lastLine === '' ? reason || 'Failed' : `${reason || 'Failed'}: ${lastLine}`;
  const named = reason === '' || reason === 'Error' ? '' : ` (${reason})`;
  const meaning = exitCodeMeaning(exitCode, reason);
  const said = lastLine === '' ? '' : `; it says: ${lastLine}`;
  return `exit code ${exitCode}${named}${meaning === undefined ? '' : `: ${meaning}`}${said}`;
}
