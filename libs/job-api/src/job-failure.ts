/** A failure in a job's status: of the pod that failed by itself, not of those that failed because of it. */
import * as z from 'zod';
import { FAILURE_CLASSES } from './failure-class.ts';
import { count, time } from './scalars.ts';

export const jobFailureSchema = z.object({
  role: z.string().describe('Role of the replica.'),
  index: count().describe('Index of the replica within its role.'),
  pod: z.string().describe('Name of the pod.'),
  node: z.string().describe('Node of the pod.').exactOptional(),
  container: z.string().describe('Container that failed, if one did.').exactOptional(),
  exitCode: z.int().describe('Exit code of the container.').exactOptional(),
  signal: z.string().describe('Signal that ended the container, such as SIGSEGV.').exactOptional(),
  reason: z.string().describe('Reason given by the kubelet or the evicting component.').exactOptional(),
  class: z
    .enum(FAILURE_CLASSES)
    .describe(
      'Class of the failure. Cascade: it failed because another process was gone. Deleted: the pod was deleted, ' +
        'which caused a cascade.',
    ),
  message: z
    .string()
    .describe('Error of the program, or message of the component that ended or rejected the pod.')
    .exactOptional(),
  time: time().describe('When the pod failed.'),
  attempt: count().describe('Attempt of the job or role in which the pod failed, from 0.'),
});

export type JobFailure = z.output<typeof jobFailureSchema>;
