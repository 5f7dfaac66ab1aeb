/** Volcano's Command objects. The last one is kept in the status, so it stays in effect when the operator restarts. */
import { type Commands, type OwnedKind } from '@muster/common-job-controller';
import { hasCondition, isFinished, type JobStatus, VOLCANO_COMMANDS, type VolcanoCommand } from '@muster/job-api';
import { ENDED_BY } from './model/policies.ts';

/** Commands that stay in effect until another command replaces them. */
const STANDING = ['AbortJob', 'CompleteJob', 'TerminateJob'] as const;

export type LastingCommand = (typeof STANDING)[number];

type Record = JobStatus & {
  readonly command?: LastingCommand;
  /** A command requests a restart after this attempt. */
  readonly restartAfter?: number;
  /** UIDs of the latest commands. */
  readonly commands?: readonly string[];
};

/** More than the number of followed commands that can still exist at one time. */
const KNOWN_COMMANDS = 8;

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

export const VOLCANO_JOB_COMMANDS: Commands = {
  kind: COMMAND_KIND,
  isOnRecord: (status, { metadata }) => (status as Record).commands?.includes(metadata?.uid ?? '') ?? false,
  follow(status, command: VolcanoCommand) {
    const { metadata, action, message } = command;
    const what = `Command ${metadata?.name}: ${action ?? ''}${message ? `, because ${message}` : ''}`;
    const { becomes, ignored } = outcomeOf(status, action);
    const { commands = [] } = status as Record;
    const known = [...commands, metadata?.uid ?? ''].slice(-KNOWN_COMMANDS);
    return {
      status: { ...(becomes ?? status), commands: known } as JobStatus,
      note: ignored === undefined ? what : `${what}. ${ignored}`,
      isIgnored: ignored !== undefined,
    };
  },
};

export function commandOf(status: JobStatus | undefined): LastingCommand | undefined {
  return (status as Record | undefined)?.command;
}

/** A command has requested a restart that has not started yet. */
export function isRestartRequested(status: JobStatus): boolean {
  return (status as Record).restartAfter === (status.attempt ?? 0);
}

interface CommandOutcome {
  readonly becomes?: Record;
  readonly ignored?: string;
}

function outcomeOf(status: Record, action = ''): CommandOutcome {
  const { command, ...others } = status;
  if (action === 'ResumeJob' && isAbortedByPolicy(status)) return { becomes: withRestart(others) };
  if (isFinished(status))
    return { ignored: 'The Job has ended, so the command has no effect. Create the Job again to run it again' };
  switch (action) {
    case 'ResumeJob':
      return command === 'AbortJob'
        ? { becomes: others }
        : { ignored: 'The Job is not aborted, so the command has no effect' };
    case 'RestartJob':
      if (command !== undefined) return { ignored: `${command} is in effect, so the command is ignored` };
      return isRestartRequested(status) || hasCondition(status.conditions, 'Restarting')
        ? { ignored: 'The Job is already restarting, so the command has no effect' }
        : { becomes: withRestart(others) };
    default: {
      const standing = STANDING.find((each) => each === action);
      return standing === undefined
        ? { ignored: `Muster does not support this command: use ${STANDING.join(', ')}, RestartJob or ResumeJob` }
        : { becomes: { ...others, command: standing } };
    }
  }
}

function isAbortedByPolicy({ conditions }: JobStatus): boolean {
  return (
    conditions?.some(
      ({ type, status, reason }) => type === 'Failed' && status === 'True' && reason === ENDED_BY.AbortJob,
    ) ?? false
  );
}

export function isAborted(status: JobStatus | undefined): boolean {
  return commandOf(status) === 'AbortJob' || isAbortedByPolicy(status ?? {});
}

/** Clears the end of the Job; the engine resets the rest. */
function withRestart({ completionTime: _end, ...status }: Record): Record {
  const conditions = status.conditions?.filter(({ type }) => type !== 'Failed');
  return { ...status, ...(conditions && { conditions }), restartAfter: status.attempt ?? 0 };
}
