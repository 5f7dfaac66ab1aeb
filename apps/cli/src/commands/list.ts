/** `muster list`: lists the jobs of all kinds that the cluster serves, in one table. */
import { Option, type Command } from 'commander';
import { qualifiedName } from '../jobs/find-job.ts';
import type { JobView } from '../jobs/job-view.ts';
import { listedJobs, warnOfUnseen } from '../jobs/listed-jobs.ts';
import { inSession, withClusterOptions, type ClusterOptions } from '../session.ts';
import { age } from '../terminal/age.ts';
import { note, out } from '../terminal/output.ts';
import { inColourOf } from '../terminal/state-colour.ts';
import { objectText } from '../terminal/object-text.ts';
import { table } from '../terminal/table.ts';

interface Options extends ClusterOptions {
  readonly allNamespaces?: boolean;
  readonly state?: string;
  readonly kind?: string;
  readonly selector?: string;
  readonly output: (typeof OUTPUTS)[number];
}

const OUTPUTS = ['table', 'wide', 'name', 'json', 'yaml'] as const;

export function registerListCommand(program: Command): void {
  withClusterOptions(program.command('list').alias('ls'))
    .description('List jobs of all kinds that the cluster serves.')
    .option('-A, --all-namespaces', 'list jobs in all namespaces')
    .option('--state <states>', 'list only jobs in these states, such as Running,Failed')
    .option('--kind <kind>', 'list only jobs of this kind, such as pytorchjob')
    .option('-l, --selector <labels>', 'list only jobs with these labels')
    .addOption(new Option('-o, --output <form>', 'output format').choices(OUTPUTS).default('table'))
    .addHelpText(
      'after',
      `
Examples:
  muster list
  muster list -A --state Failed -o wide
  muster list --kind tfjob -o name`,
    )
    .action((options: Options) =>
      inSession(options, async (session) => {
        const isExact = options.output === 'json' || options.output === 'yaml';
        const { views, unseen } = await listedJobs(session, { ...options, isExact });
        out(rendered(views, options, Date.now()));
        const where = options.allNamespaces === true ? 'the cluster' : `namespace ${session.namespace}`;
        warnOfUnseen(unseen, where);
        if (views.length === 0 && (options.output === 'table' || options.output === 'wide')) {
          note(unseen.length > 0 ? `No jobs of other kinds in ${where}.` : `No jobs in ${where}.`);
        }
      }),
    );
}

/** @param nowMs the time from which ages are computed */
export function rendered(
  views: readonly JobView[],
  { output, allNamespaces }: Pick<Options, 'output' | 'allNamespaces'>,
  nowMs: number,
): string {
  const manifests = views.map(({ manifest }) => manifest);
  if (output === 'json' || output === 'yaml') {
    return objectText({ apiVersion: 'v1', kind: 'List', items: manifests }, output);
  }
  if (output === 'name') {
    return views.map(({ kind, manifest }) => `${qualifiedName(kind, manifest.metadata?.name ?? '')}\n`).join('');
  }
  if (views.length === 0) return '';
  const [isWide, withNamespace] = [output === 'wide', allNamespaces === true];
  const head = ['NAME', 'KIND', 'STATE', 'READY', 'RESTARTS', 'AGE', ...(isWide ? ['QUEUE', 'MESSAGE'] : [])];
  const rows = views.map((view) => {
    const row = [...cells(view, nowMs), ...(isWide ? wideCells(view) : [])];
    return withNamespace ? [view.manifest.metadata?.namespace ?? '', ...row] : row;
  });
  const columns = withNamespace ? ['NAMESPACE', ...head] : head;
  const ofState = columns.indexOf('STATE');
  return table([columns, ...rows], {
    shown: (padded, cell, column) => (column === ofState ? inColourOf(cell, padded) : padded),
  });
}

function cells({ kind, manifest, state, ready, restarts }: JobView, nowMs: number): string[] {
  const { name = '', creationTimestamp } = manifest.metadata ?? {};
  const { kind: kindName } = kind.definition.resource;
  return [name, kindName, state ?? '-', ready ?? '-', restarts?.toString() ?? '-', age(creationTimestamp, nowMs)];
}

function wideCells({ manifest, conditions }: JobView): string[] {
  const { runPolicy } = Object(manifest.spec) as { runPolicy?: { schedulingPolicy?: { queue?: string } } };
  const queue = runPolicy?.schedulingPolicy?.queue ?? manifest.metadata?.labels?.['kueue.x-k8s.io/queue-name'];
  return [queue ?? '-', conditions.at(-1)?.message ?? '-'];
}
