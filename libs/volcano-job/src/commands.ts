/**
 * Commands as `vcctl job suspend` and `resume` send them, and others by hand. What was asked last is on record, so that a Job stays
 * aborted, completed or terminated whatever becomes of the operator.
 */
import { isFinished, type Commands, type OwnedKind } from '@muster/common-job-controller';
import { VOLCANO_COMMANDS, type JobStatus, type VolcanoCommand } from '@muster/job-api';
import { ENDED_BY } from './model/policies.ts';

/** What stands on record until another command takes its place. */
const STANDING = ['AbortJob', 'CompleteJob', 'TerminateJob'] as const;

export type StandingCommand = (typeof STANDING)[number];

type Record = JobStatus & { readonly command?: StandingCommand };

const COMMAND_KIND: OwnedKind<VolcanoCommand> = {
  resource: VOLCANO_COMMANDS,
  endsWithRun: false,
  isFromOthers: true,
  trim: ({ metadata, action, reason, message }) => {
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata ?? {};
    const { ownerReferences = [], creationTimestamp = '' } = metadata ?? {};
    return {
      metadata: { name, namespace, uid, resourceVersion, ownerReferences, creationTimestamp },
      ...(action !== undefined && { action }),
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    };
  },
};

export const VOLCANO_JOB_COMMANDS: Commands = { kind: COMMAND_KIND, follow };

/** What the Job was told last, if that still holds. */
export function commandOf(status: JobStatus | undefined): StandingCommand | undefined {
  return (status as Record | undefined)?.command;
}

function follow(status: JobStatus, { metadata, action = '', message }: VolcanoCommand) {
  const what = `Command ${metadata?.name}: ${action}${message ? `, because ${message}` : ''}`;
  const { command: before, ...others } = status as Record;
  if (action === 'ResumeJob' && isAbortedByPolicy(status)) return { status: begunAnew(others), note: what };
  if (isFinished(status)) return { note: `${what}. The Job has ended: nothing is done. Make it anew to run it again` };
  if (action === 'ResumeJob') {
    return before === 'AbortJob'
      ? { status: others, note: what }
      : { note: `${what}. The Job is not aborted: nothing is done` };
  }
  if (action === 'RestartJob') {
    return before === undefined
      ? { status: begunAnew(others), note: what }
      : { note: `${what}. The Job has been told ${before}: nothing is done` };
  }
  const command = STANDING.find((each) => each === action);
  return command === undefined
    ? { note: `${what}. Muster follows ${STANDING.join(', ')}, RestartJob and ResumeJob: nothing is done` }
    : { status: { ...others, command }, note: what };
}

function isAbortedByPolicy({ conditions }: JobStatus): boolean {
  return (
    conditions?.some(
      ({ type, status, reason }) => type === 'Failed' && status === 'True' && reason === ENDED_BY.AbortJob,
    ) ?? false
  );
}

/** Pods of the attempt before go, and count for nothing. */
function begunAnew({ completionTime: _end, ...status }: JobStatus): JobStatus {
  const conditions = status.conditions?.filter(({ type }) => type !== 'Failed');
  return { ...status, ...(conditions && { conditions }), attempt: (status.attempt ?? 0) + 1 };
}
