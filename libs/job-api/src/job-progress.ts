/** How far a job's program says it is: what is asked for in `runPolicy`, and what the status shows. */
import * as z from 'zod';
import { count, time } from './scalars.ts';

/** The name of the container port at which a program tells how far it is. */
export const PROGRESS_PORT = 'progress';

/** Shortest deadline, in seconds: a program is asked ten times within it. */
const SHORTEST_DEADLINE = 10;

/** `runPolicy.progressDeadlineSeconds`. */
export const progressDeadlineSeconds = () =>
  z
    .int32()
    .min(SHORTEST_DEADLINE)
    .describe(
      `Muster asks the containers with a port named ${PROGRESS_PORT} how far they are (HTTP GET /progress), and shows it in ` +
        'status.progress. When all replicas have run for so many seconds and none of them has come any further, a Warning names ' +
        'the one that is behind. Unset: nobody is asked.',
    );

const percent = () => z.number().min(0).max(100);
const step = () => z.int().min(0);

const behindSchema = z.object({
  role: z.string().describe('Its role.'),
  index: count().describe('Its index within the role.'),
  pod: z.string().describe('Its pod.'),
});

export type ReplicaBehind = z.output<typeof behindSchema>;

export const jobProgressSchema = z.object({
  percent: percent().describe('How much of the work is done.').exactOptional(),
  step: step().describe('The step that the furthest replica is at.').exactOptional(),
  estimatedRemainingSeconds: count().describe('How long it will take yet, by the word of the program.').exactOptional(),
  metrics: z
    .record(z.string(), z.number())
    .describe('Numbers that the program tells besides, for example its loss.')
    .exactOptional(),
  lastProgressTime: time()
    .describe(
      'When progress was last written down, at most a quarter of progressDeadlineSeconds late, or since when these replicas run. ' +
        'Absent while some of them do not run: the deadline stands still then.',
    )
    .exactOptional(),
  pods: z
    .string()
    .describe('A hash of which pods that is said of: with others the deadline begins anew.')
    .exactOptional(),
  message: z
    .string()
    .describe('Set when there was no progress for progressDeadlineSeconds: since when, and who is behind.')
    .exactOptional(),
  behind: behindSchema.describe('The replica that is behind then, where one is.').exactOptional(),
});

/** `status.progress`. */
export type JobProgress = z.output<typeof jobProgressSchema>;
