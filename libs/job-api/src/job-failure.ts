/** What a job's status says of the first failure: the pod that failed by itself, not those that fell with it. */
import * as z from 'zod';
import { FAILURE_CLASSES } from './failure-class.ts';
import { count, time } from './scalars.ts';

export const jobFailureSchema = z.object({
  role: z.string().describe('Its role.'),
  index: count().describe('Its index.'),
  pod: z.string().describe('Its pod.'),
  node: z.string().describe('Its node.').exactOptional(),
  container: z.string().describe('The container that failed, if one did.').exactOptional(),
  exitCode: z.int().describe('Its exit code.').exactOptional(),
  signal: z.string().describe('The signal that ended it, such as SIGSEGV.').exactOptional(),
  reason: z.string().describe('The reason of the kubelet or the evictor.').exactOptional(),
  class: z.enum(FAILURE_CLASSES).describe('Cascade: another process was gone. Deleted: the cause of a cascade.'),
  message: z.string().describe('Its error, or the message of whoever ended or refused it.').exactOptional(),
  time: time().describe('When it failed.'),
  attempt: count().describe('In which attempt of the job or role: 0 is the first.'),
});

/** A failure that raised others, or none. */
export type JobFailure = z.output<typeof jobFailureSchema>;
