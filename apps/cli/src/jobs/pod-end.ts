/** How a pod's container has ended badly: the last time, if it has been started again since. */
import type { ContainerStatus, Pod } from '@muster/job-api';
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
  const { reason = 'Failed', message = '' } = status;
  return { what: message === '' ? reason : `${reason}: ${message.trim()}`, at: undefined, isPrevious: false };
}

function endOf({ name, state, lastState }: ContainerStatus): BadEnd | undefined {
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined || ended.exitCode === 0) return undefined;
  const { exitCode, reason = '', message = '', finishedAt } = ended;
  const named = reason === '' || reason === 'Error' ? '' : ` (${reason})`;
  const meaning = exitCodeMeaning(exitCode, reason);
  const said = message.trim() === '' ? '' : `; it says: ${message.trim()}`;
  return {
    container: name,
    exitCode,
    what: `exit code ${exitCode}${named}${meaning === undefined ? '' : `: ${meaning}`}${said}`,
    at: finishedAt,
    isPrevious: state?.terminated === undefined,
  };
}
