/** Progress of a job: the deadline in `runPolicy`, and `status.progress`. */
import * as z from 'zod';
import { count, time } from './scalars.ts';

/** Name of the container port on which a program reports its progress. */
export const PROGRESS_PORT = 'progress';

/** Shortest deadline, in seconds: programs are polled ten times within it. */
const SHORTEST_DEADLINE = 10;

/** `runPolicy.progressDeadlineSeconds`. */
export const progressDeadlineSeconds = () =>
  z
    .int32()
    .min(SHORTEST_DEADLINE)
    .describe(
      'Seconds without progress of any replica, while all run, after which a Warning event names the replica that is behind. ' +
        `Muster polls the containers with a port named ${PROGRESS_PORT} (HTTP GET /progress), and shows the result in ` +
        'status.progress. Default: progress is not polled.',
    );

const percent = () => z.number().min(0).max(100);
const step = () => z.int().min(0);

const behindSchema = z.object({
  role: z.string().describe('Role of the replica.'),
  index: count().describe('Index of the replica within its role.'),
  pod: z.string().describe('Name of the pod.'),
});

export type LaggingReplica = z.output<typeof behindSchema>;

export const jobProgressSchema = z.object({
  percent: percent().describe('Percentage of the work that is done.').exactOptional(),
  step: step().describe('Step of the replica that is furthest ahead.').exactOptional(),
  estimatedRemainingSeconds: count().describe('Remaining time in seconds, as reported by the program.').exactOptional(),
  metrics: z
    .record(z.string(), z.number())
    .describe('Further numbers that the program reports, for example its loss.')
    .exactOptional(),
  lastProgressTime: time()
    .describe(
      'When progress was last recorded, at most a quarter of progressDeadlineSeconds late, or when these ' +
        'replicas started to run. Absent while some of them do not run: the deadline is paused then.',
    )
    .exactOptional(),
  pods: z
    .string()
    .describe('Hash of the pods whose progress this is. The deadline starts again when they change.')
    .exactOptional(),
  message: z
    .string()
    .describe('Set if there was no progress for progressDeadlineSeconds: since when, and which replica is behind.')
    .exactOptional(),
  behind: behindSchema.describe('The replica that is behind, if there is one.').exactOptional(),
});

/** `status.progress`. */
export type JobProgress = z.output<typeof jobProgressSchema>;
