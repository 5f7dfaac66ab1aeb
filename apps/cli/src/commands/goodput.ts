/** `muster goodput`: shows where the time of jobs went. */
import { Option, type Command } from 'commander';
import { findJob } from '../jobs/find-job.ts';
import { goodputPage, goodputTable, jobTime } from '../jobs/goodput-page.ts';
import { jobView, type JobView } from '../jobs/job-view.ts';
import { listedJobs, warnOfUnseen } from '../jobs/listed-jobs.ts';
import { inSession, withClusterOptions, type ClusterOptions } from '../session.ts';
import { note, out } from '../terminal/output.ts';
import { parseDuration } from '../terminal/parse-duration.ts';

interface Options extends ClusterOptions {
  readonly allNamespaces?: boolean;
  readonly kind?: string;
  readonly selector?: string;
  readonly since?: number;
  readonly output: 'table' | 'wide' | 'json';
}

export function registerGoodputCommand(program: Command): void {
  withClusterOptions(program.command('goodput'))
    .description('Show how much of the time of jobs was productive, and where the rest went.')
    .argument('[job]', 'name or kind/name. Default: all jobs')
    .option('-A, --all-namespaces', 'show jobs in all namespaces')
    .option('--kind <kind>', 'show only jobs of this kind, such as pytorchjob')
    .option('-l, --selector <labels>', 'show only jobs with these labels')
    .option(
      '--since <duration>',
      'show only jobs that have not ended, or ended within this time, such as 24h',
      parseDuration,
    )
    .addOption(new Option('-o, --output <form>', 'output format').choices(['table', 'wide', 'json']).default('table'))
    .addHelpText(
      'after',
      `
Examples:
  muster goodput mnist
  muster goodput -A --since 168h -o wide
  muster goodput -l team=vision -o json`,
    )
    .action((reference: string | undefined, options: Options) =>
      inSession(options, async (session) => {
        const nowMs = Date.now();
        if (reference !== undefined) {
          const { kind, manifest } = await findJob(session.client, reference, session.namespace);
          const view = jobView(kind, manifest);
          out(options.output === 'json' ? jsonOf([view], nowMs) : goodputPage(view, nowMs));
          return;
        }
        const { views, unseen } = await listedJobs(session, options);
        const where = options.allNamespaces === true ? 'the cluster' : `namespace ${session.namespace}`;
        const shown = views.filter((view) => isSince(view, options.since, nowMs));
        if (options.output === 'json') out(jsonOf(shown, nowMs));
        else if (shown.length > 0) {
          const columns = { withNamespace: options.allNamespaces === true, isWide: options.output === 'wide' };
          out(goodputTable(shown, columns, nowMs));
        } else note(`No jobs in ${where}.`);
        warnOfUnseen(unseen, where);
      }),
    );
}

function isSince({ completionTime }: JobView, sinceMs: number | undefined, nowMs: number): boolean {
  const endedMs = Date.parse(completionTime ?? '');
  return sinceMs === undefined || Number.isNaN(endedMs) || nowMs - endedMs <= sinceMs;
}

function jsonOf(views: readonly JobView[], nowMs: number): string {
  const jobs = views.map((view) => {
    const { name, namespace } = view.manifest.metadata ?? {};
    return { namespace, name, kind: view.kind.definition.resource.kind, ...jobTime(view, nowMs) };
  });
  return `${JSON.stringify(jobs, undefined, 2)}\n`;
}
