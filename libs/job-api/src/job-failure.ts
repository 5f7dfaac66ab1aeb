/** What a job's status says of the first failure: the pod that failed by itself, not those that fell with it. */
import * as z from 'zod';
import { FAILURE_CLASSES } from './failure-class.ts';
import { count, time } from './scalars.ts';

export const jobFailureSchema = z.object({
  role: z.string().describe('The role of the replica.'),
  index: count().describe('Its index within the role.'),
  pod: z.string().describe('Its pod.'),
  node: z.string().describe('The node that the pod was on.').exactOptional(),
  container: z.string().describe('The container that failed. Absent where the pod failed as a whole.').exactOptional(),
  exitCode: z.int().describe('With which code it ended.').exactOptional(),
  signal: z.string().describe('The signal that ended it, for example SIGSEGV, by its exit code.').exactOptional(),
  reason: z.string().describe("The kubelet's, the scheduler's or the evictor's reason, in one word.").exactOptional(),
  class: z
    .enum(FAILURE_CLASSES)
    .describe(
      'What kind of failure. Cascade: it ended because another process was gone. Deleted: the pod was deleted, and others ended because of that.',
    ),
  message: z
    .string()
    .describe('The error that its output names, or the message of whoever ended or refused it.')
    .exactOptional(),
  time: time().describe('When it failed.'),
  attempt: count().describe('In which attempt of the job or role: 0 is the first.'),
});

/** A failure that raised others, or none. */
export type JobFailure = z.output<typeof jobFailureSchema>;
