/** `muster list`: the jobs of every kind that the cluster serves, in one table. */
import type { KubeList } from '@muster/kube';
import { isKubeError } from '@muster/kube';
import type { JobManifest } from '@muster/common-job-controller';
import { Option, type Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { kindNamed, notServed } from '../jobs/find-job.ts';
import { jobView, type JobView } from '../jobs/job-view.ts';
import { servedKinds, type ServedKind } from '../jobs/served-kinds.ts';
import { inSession, withClusterOptions, type ClusterOptions, type Session } from '../session.ts';
import { age } from '../terminal/age.ts';
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
    .description('List the jobs of every kind that the cluster serves.')
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('--state <states>', 'only jobs in these states, separated by commas: Running,Failed')
    .option('--kind <kind>', 'only jobs of this kind: pytorchjob')
    .option('-l, --selector <labels>', 'only jobs with these labels')
    .addOption(new Option('-o, --output <form>', 'how they are printed').choices(OUTPUTS).default('table'))
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
        const views = await listed(session, options);
        process.stdout.write(rendered(views, options, Date.now()));
        if (views.length === 0 && options.output === 'table') {
          const where = options.allNamespaces === true ? 'the cluster' : `namespace ${session.namespace}`;
          process.stderr.write(`No jobs in ${where}.\n`);
        }
      }),
    );
}

async function listed(session: Session, { allNamespaces, state, kind, selector }: Options): Promise<JobView[]> {
  const wanted = kind === undefined ? undefined : kindNamed(kind);
  if (kind !== undefined && wanted === undefined) throw new CommandError('usage', `"${kind}" is no kind of job.`);
  const served = (await servedKinds(session.client)).filter((each) => wanted === undefined || each.kind === wanted);
  if (served.length === 0) throw notServed(wanted);
  const where = allNamespaces === true ? {} : { namespace: session.namespace };
  const query = { ...where, ...(selector !== undefined && { labelSelector: selector }) };
  const lists = await Promise.all(served.map((each) => listOf(session, each, query)));
  const states = state?.toLowerCase().split(',');
  return lists
    .flatMap(({ kind, items }) => items.map((manifest) => jobView(kind, manifest)))
    .filter((view) => states === undefined || states.includes((view.state ?? '-').toLowerCase()));
}

/** What the user may not list is left out, and told. */
async function listOf(
  { client }: Session,
  { kind, resource }: ServedKind,
  query: { namespace?: string; labelSelector?: string },
): Promise<ServedKind & Pick<KubeList<JobManifest>, 'items'>> {
  try {
    return { kind, resource, items: (await client.list(resource, query)).items };
  } catch (error) {
    if (!isKubeError(error, 'Forbidden')) throw error;
    process.stderr.write(`warning: ${error.message}\n`);
    return { kind, resource, items: [] };
  }
}

/** For scripts and people; `nowMs` is what ages count from. */
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
    return views
      .map(
        ({ kind: { definition }, manifest }) =>
          `${definition.singular}.${definition.resource.group}/${manifest.metadata?.name}\n`,
      )
      .join('');
  }
  if (views.length === 0) return '';
  const [isWide, withNamespace] = [output === 'wide', allNamespaces === true];
  const head = ['NAME', 'KIND', 'STATE', 'READY', 'RESTARTS', 'AGE', ...(isWide ? ['QUEUE', 'MESSAGE'] : [])];
  const rows = views.map((view) => {
    const row = [...cells(view, nowMs), ...(isWide ? wideCells(view) : [])];
    return withNamespace ? [view.manifest.metadata?.namespace ?? '', ...row] : row;
  });
  return table([withNamespace ? ['NAMESPACE', ...head] : head, ...rows]);
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
