import { expect, it } from 'vitest';
import { hasSucceeded, isRunning, type JobObject } from './job-kind.ts';

const job = (status: JobObject['status']): JobObject => ({ apiVersion: 'v1', kind: 'Job', ...(status && { status }) });

it.each<[string, JobObject['status'], boolean, boolean]>([
  ['a state', { state: 'Succeeded' }, false, true],
  ['a phase', { phase: 'Running' }, true, false],
  ['conditions', { conditions: [{ type: 'Complete', status: 'True' }] }, false, true],
  [
    'a condition that no longer holds',
    {
      conditions: [
        { type: 'Running', status: 'False' },
        { type: 'Succeeded', status: 'True' },
      ],
    },
    false,
    true,
  ],
  ['a state beside conditions', { state: '', conditions: [{ type: 'Ready', status: 'True' }] }, false, false],
  ['nothing', undefined, false, false],
])('reads %s', (_what, status, running, succeeded) => {
  expect([isRunning(job(status)), hasSucceeded(job(status))]).toEqual([running, succeeded]);
});
