/** Problems of a RayCronJob: what admission refuses, and what its rules cannot check. */
import type { Problem } from '@muster/common-job-controller';
import { admitted, problemsOf, rayCronJobDefinition, type RayCronJob } from '@muster/job-api';
import { runtimeEnvWarnings } from '../job/ray-job-submission.ts';
import { submitterWarnings } from '../job/submitter-warnings.ts';
import { ignoredJobFields } from '../model/ignored-fields.ts';
import { rayJobProblems } from '../model/ray-problems.ts';
import { scheduledRun } from './cron-run.ts';
import { parseSchedule } from './cron-schedule.ts';
import { isTimeZone } from './time-zone.ts';

export function rayCronJobProblems(manifest: RayCronJob): Problem[] {
  const problems = problemsOf(rayCronJobDefinition, manifest);
  if (problems.length > 0) return problems;
  const cronJob = admitted(rayCronJobDefinition, manifest);
  const { schedule, timeZone } = cronJob.spec;
  const { problem } = parseSchedule(schedule, 'UTC');
  return [
    ...(problem === undefined
      ? []
      : [{ path: 'spec.schedule', message: `Invalid value: ${JSON.stringify(schedule)}: ${problem}` }]),
    ...(timeZone === undefined || isTimeZone(timeZone)
      ? []
      : [
          {
            path: 'spec.timeZone',
            message: `Invalid value: ${JSON.stringify(timeZone)}: is no time zone of the IANA database, such as Europe/Berlin: correct it, or remove it for UTC`,
          },
        ]),
    ...inTemplate(rayJobProblems(anyRun(cronJob))),
  ];
}

/** For a valid RayCronJob. */
export function rayCronJobWarnings(cronJob: RayCronJob): Problem[] {
  const run = anyRun(cronJob);
  const warnings = [...ignoredJobFields(run), ...runtimeEnvWarnings(run), ...submitterWarnings(run)];
  return [...inTemplate(warnings), ...keptClusters(cronJob)];
}

function keptClusters({ spec }: RayCronJob): Problem[] {
  const { rayClusterSpec, shutdownAfterJobFinishes = false, deletionStrategy } = spec.jobTemplate;
  if (rayClusterSpec === undefined || shutdownAfterJobFinishes || deletionStrategy !== undefined) return [];
  return [
    {
      path: 'spec.jobTemplate.shutdownAfterJobFinishes',
      message:
        'the cluster of each run stays after its end and uses its resources: set it to true, or set deletionStrategy',
    },
  ];
}

function anyRun(cronJob: RayCronJob) {
  return scheduledRun(cronJob, 0);
}

function inTemplate(problems: readonly Problem[]): Problem[] {
  return problems.map(({ path, message }) => ({ path: path.replace(/^spec\b/, 'spec.jobTemplate'), message }));
}
