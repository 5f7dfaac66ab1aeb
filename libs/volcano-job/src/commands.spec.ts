import type { JobStatus, VolcanoCommand } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { commandOf, isAborted, isRestartRequested, VOLCANO_JOB_COMMANDS } from './commands.ts';

const RUNNING: JobStatus = { conditions: [{ type: 'Running', status: 'True' }] };
const ENDED: JobStatus = { conditions: [{ type: 'Succeeded', status: 'True' }] };
const COMMANDED = (command: string) => ({ ...RUNNING, command }) as JobStatus;

const command = (action?: string): VolcanoCommand => ({
  metadata: { name: 'pi-1', uid: 'uid-of-1' },
  ...(action !== undefined && { action }),
  message: 'at night',
});

const ABORTED = { type: 'Failed', status: 'True', reason: 'JobAborted' } as const;

const other = (of: VolcanoCommand): VolcanoCommand => ({ ...of, metadata: { name: 'pi-2', uid: 'uid-of-2' } });

describe('a command', () => {
  it.each<[action: string, before: JobStatus, after: string | undefined]>([
    ['AbortJob', RUNNING, 'AbortJob'],
    ['AbortJob', COMMANDED('AbortJob'), 'AbortJob'],
    ['CompleteJob', RUNNING, 'CompleteJob'],
    ['CompleteJob', COMMANDED('AbortJob'), 'CompleteJob'],
    ['TerminateJob', RUNNING, 'TerminateJob'],
    ['ResumeJob', COMMANDED('AbortJob'), undefined],
    ['RestartJob', RUNNING, undefined],
  ])('follows %s and records it', (action, before, after) => {
    const { status, note, isIgnored } = VOLCANO_JOB_COMMANDS.follow(before, command(action));
    expect(status).toMatchObject(RUNNING);
    expect(commandOf(status)).toBe(after);
    expect(note).toBe(`Command pi-1: ${action}, because at night`);
    expect(isIgnored).toBe(false);
  });

  it.each<[action: string | undefined, before: JobStatus, message: string]>([
    ['AbortJob', ENDED, 'The Job has ended'],
    ['ResumeJob', ENDED, 'The Job has ended'],
    ['ResumeJob', RUNNING, 'The Job is not aborted'],
    ['ResumeJob', COMMANDED('CompleteJob'), 'The Job is not aborted'],
    ['RestartJob', COMMANDED('AbortJob'), 'AbortJob is in effect'],
    ['RestartJob', ENDED, 'The Job has ended'],
    ['RestartJob', { conditions: [{ type: 'Restarting', status: 'True' }] }, 'The Job is already restarting'],
    [
      'RestartTask',
      RUNNING,
      'does not support this command: use AbortJob, CompleteJob, TerminateJob, RestartJob or ResumeJob',
    ],
    [undefined, RUNNING, 'does not support this command'],
  ])('ignores %s where it has no effect, and reports why', (action, before, expected) => {
    const { status, note, isIgnored } = VOLCANO_JOB_COMMANDS.follow(before, command(action));
    expect(status).toMatchObject(before);
    expect(note).toContain(expected);
    expect(isIgnored).toBe(true);
  });

  it('is recorded by its UID, beside earlier commands', () => {
    const first = VOLCANO_JOB_COMMANDS.follow(RUNNING, command('RestartJob'));
    const second = VOLCANO_JOB_COMMANDS.follow(first.status, other(command('RestartJob')));
    expect(second.note).toContain('already restarting');
    const isOnRecord = (status: JobStatus) =>
      [command(), other(command())].map((each) => VOLCANO_JOB_COMMANDS.isOnRecord(status, each));
    expect([RUNNING, first.status, second.status].map(isOnRecord)).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
  });

  it.each<[action: string, before: JobStatus]>([
    ['RestartJob', { ...RUNNING, attempt: 1 }],
    ['ResumeJob', { conditions: [ABORTED], completionTime: '2030-01-01T12:00:00Z', attempt: 1 }],
  ])('starts another attempt upon %s', (action, before) => {
    const { status } = VOLCANO_JOB_COMMANDS.follow(before, command(action));
    expect(isRestartRequested(status)).toBe(true);
    expect(isRestartRequested({ ...status, attempt: 2 })).toBe(false);
    expect(status.completionTime).toBeUndefined();
    expect(status.conditions?.filter(({ type }) => type === 'Failed')).toEqual([]);
  });
});

describe('isAborted of a Job', () => {
  it.each<[what: string, status: JobStatus, is: boolean]>([
    ['has the command AbortJob', COMMANDED('AbortJob'), true],
    ['is aborted by its policy', { conditions: [ABORTED] }, true],
    ['has succeeded', ENDED, false],
    ['runs', RUNNING, false],
  ])('a Job that %s', (_what, status, is) => {
    expect(isAborted(status)).toBe(is);
  });
});
