/** Waits until a job reaches a state, and prints each change. */
import { setLongTimer } from '@muster/kube';
import { CommandError } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { duration } from '../terminal/age.ts';
import { warn } from '../terminal/output.ts';
import { referenceOf, titleOf, type FoundJob } from './find-job.ts';
import { jobView, type JobView } from './job-view.ts';
import { progress } from './progress.ts';
import { goalStateOf, type WaitedFor } from './wait-for.ts';
import { watchJob } from './watch-job.ts';

export interface Waiting {
  readonly goal: WaitedFor;
  /** Undefined: without a limit. */
  readonly timeoutMs: number | undefined;
  /** Takes one line. */
  readonly print: (line: string) => void;
}

/** Resolves with the job when the goal is reached. Throws a `CommandError` if it cannot be reached any more, or after the timeout. */
export async function waitForJob(
  session: Session,
  found: FoundJob,
  { goal, timeoutMs, print }: Waiting,
): Promise<JobView> {
  const startMs = Date.now();
  const ended = new AbortController();
  const signal = AbortSignal.any([session.signal, ended.signal]);
  session.interruptNotice = `Interrupted: ${titleOf(found)} continues. Follow it with: ${session.hint(`wait ${referenceOf(found)}`, found.namespace)}`;
  const cancel = timeoutMs === undefined ? () => {} : setLongTimer(timeoutMs, () => ended.abort(new TimeoutError()));
  const lines = progress();
  try {
    let view: JobView | undefined;
    for await (const { manifest, pods } of watchJob(session.client, found, { signal, warn })) {
      if (manifest === undefined) throw new CommandError('notFound', `${titleOf(found)} has been deleted.`);
      view = jobView(found.kind, manifest, pods);
      for (const line of lines.news(view)) print(`${duration(Date.now() - startMs).padStart(6)}  ${line}`);
      const goalState = goalStateOf(goal, view.state);
      if (goalState === 'reached') return view;
      if (goalState === 'missed') throw missed(session, found, goal, view);
    }
    throw new Error('the watch ended without the end of the job');
  } catch (error) {
    if (error instanceof TimeoutError) throw overdue(session, found, goal, timeoutMs ?? 0);
    throw error;
  } finally {
    cancel();
    ended.abort();
  }
}

class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

function missed(session: Session, found: FoundJob, goal: WaitedFor, { state, conditions }: JobView): CommandError {
  const message = conditions.findLast(({ type, status }) => type === state && status === 'True')?.message;
  const why = session.hint(`why ${referenceOf(found)}`, found.namespace);
  const outcome = state === 'Failed' ? 'has failed' : 'has succeeded';
  const hint = state === 'Failed' ? `\nSee why: ${why}` : '';
  const waited = (goal === 'failed') === (state === 'Failed') || goal === 'succeeded' ? '' : ` (waited for: ${goal})`;
  return new CommandError('jobFailed', `${titleOf(found)} ${outcome}${waited}${message ? `: ${message}` : '.'}${hint}`);
}

function overdue(session: Session, found: FoundJob, goal: WaitedFor, timeoutMs: number): CommandError {
  const after = duration(timeoutMs);
  const why = session.hint(`why ${referenceOf(found)}`, found.namespace);
  return new CommandError(
    'timeout',
    `${titleOf(found)} ${NOT_YET[goal]} after ${after}. It continues.\nSee what it waits for: ${why}`,
  );
}

const NOT_YET: Readonly<Record<WaitedFor, string>> = {
  succeeded: 'has not succeeded',
  running: 'does not run',
  finished: 'has not ended',
  failed: 'has not failed',
  suspended: 'is not suspended',
};
