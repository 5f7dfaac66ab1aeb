import type { JobStatus, VolcanoCommand } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { commandOf, VOLCANO_JOB_COMMANDS } from './commands.ts';

const RUNNING: JobStatus = { conditions: [{ type: 'Running', status: 'True' }] };
const ENDED: JobStatus = { conditions: [{ type: 'Succeeded', status: 'True' }] };
const TOLD = (command: string) => ({ ...RUNNING, command }) as JobStatus;

const command = (action?: string): VolcanoCommand => ({
  metadata: { name: 'pi-1' },
  ...(action !== undefined && { action }),
  message: 'at night',
});

describe('a command', () => {
  it.each<[action: string, before: JobStatus, after: string | undefined]>([
    ['AbortJob', RUNNING, 'AbortJob'],
    ['AbortJob', TOLD('AbortJob'), 'AbortJob'],
    ['CompleteJob', RUNNING, 'CompleteJob'],
    ['CompleteJob', TOLD('AbortJob'), 'CompleteJob'],
    ['TerminateJob', RUNNING, 'TerminateJob'],
    ['ResumeJob', TOLD('AbortJob'), undefined],
    ['RestartJob', RUNNING, undefined],
  ])('%s is followed, and on record', (action, before, after) => {
    const { status, note } = VOLCANO_JOB_COMMANDS.follow(before, command(action));
    expect(status).toMatchObject(RUNNING);
    expect(commandOf(status)).toBe(after);
    expect(note).toBe(`Command pi-1: ${action}, because at night`);
  });

  it.each<[action: string | undefined, before: JobStatus, says: string]>([
    ['AbortJob', ENDED, 'The Job has ended'],
    ['ResumeJob', ENDED, 'The Job has ended'],
    ['ResumeJob', RUNNING, 'The Job is not aborted'],
    ['ResumeJob', TOLD('CompleteJob'), 'The Job is not aborted'],
    ['RestartJob', TOLD('AbortJob'), 'The Job has been told AbortJob'],
    ['RestartJob', ENDED, 'The Job has ended'],
    ['RestartTask', RUNNING, 'Muster follows AbortJob, CompleteJob, TerminateJob, RestartJob and ResumeJob'],
    [undefined, RUNNING, 'Muster follows'],
  ])('%s is not followed where it can change nothing, and says so', (action, before, says) => {
    const { status, note } = VOLCANO_JOB_COMMANDS.follow(before, command(action));
    expect(status).toBeUndefined();
    expect(note).toContain(says);
  });

  it.each([
    ['RestartJob', { ...RUNNING, attempt: 1 }],
    [
      'ResumeJob',
      {
        conditions: [{ type: 'Failed', status: 'True', reason: 'JobAborted' }],
        completionTime: '2030-01-01T12:00:00Z',
        attempt: 1,
      },
    ],
  ] as const satisfies [string, JobStatus][])('%s begins another attempt', (action, before) => {
    const { status } = VOLCANO_JOB_COMMANDS.follow(before, command(action));
    expect(status).toMatchObject({ attempt: 2 });
    expect(status?.completionTime).toBeUndefined();
    expect(status?.conditions?.filter(({ type }) => type === 'Failed')).toEqual([]);
  });
});
