/** `muster list`: lists the jobs of all kinds that the cluster serves, in one table. */
import { isKubeError, type KubeList, type ListOptions } from '@muster/kube';
import type { JobManifest } from '@muster/common-job-controller';
import { Option, type Command } from 'commander';
import { withoutBigInts, type YamlValue } from '@muster/kubernetes-yaml';
import { CommandError } from '../exit-codes.ts';
import type { Kind } from '../kinds.ts';
import { kindNamed, notAKind, notServed, qualifiedName } from '../jobs/find-job.ts';
import { parseObjectsExactly } from '../jobs/exact-object.ts';
import { JOB_STATES, jobView, type JobView } from '../jobs/job-view.ts';
import { servedKinds, type ServedKind } from '../jobs/served-kinds.ts';
import { inSession, withClusterOptions, type ClusterOptions, type Session } from '../session.ts';
import { age } from '../terminal/age.ts';
import { note, out, warn } from '../terminal/output.ts';
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
        const { views, unseen } = await listed(session, options);
        out(rendered(views, options, Date.now()));
        const where = options.allNamespaces === true ? 'the cluster' : `namespace ${session.namespace}`;
        if (unseen.length > 0)
          warn(`This list is not complete: you are not allowed to list ${kindsOf(unseen)} in ${where}.`);
        if (views.length === 0 && (options.output === 'table' || options.output === 'wide')) {
          note(unseen.length > 0 ? `No jobs of other kinds in ${where}.` : `No jobs in ${where}.`);
        }
      }),
    );
}

interface Listed {
  readonly views: readonly JobView[];
  /** Kinds that the user may not list. */
  readonly unseen: readonly ServedKind[];
}

async function listed(session: Session, options: Options): Promise<Listed> {
  const { allNamespaces, kind, selector, output } = options;
  const wanted = kind === undefined ? undefined : kindNamed(kind);
  if (kind !== undefined && wanted === undefined) throw notAKind(kind);
  const states = wantedStates(options.state);
  const served = (await servedKinds(session.client)).filter((each) => wanted === undefined || each.kind === wanted);
  if (served.length === 0) throw notServed(wanted);
  const where = allNamespaces === true ? {} : { namespace: session.namespace };
  const parse = output === 'json' || output === 'yaml' ? { parse: parseObjectsExactly } : {};
  const query = { ...where, ...(selector !== undefined && { labelSelector: selector }), ...parse };
  const lists = await Promise.all(served.map((each) => listOf(session, each, query)));
  const unseen = lists.filter(({ refusal }) => refusal !== undefined);
  if (unseen.length === lists.length) {
    const [first] = unseen;
    throw new CommandError('forbidden', `You are not allowed to list ${kindsOf(unseen)}: ${first?.refusal}`);
  }
  const views = lists.flatMap((each) => each.items.map((manifest) => viewOf(each.kind, manifest)));
  const isWanted = ({ state }: JobView) => states === undefined || states.includes((state ?? NO_STATE).toLowerCase());
  return { views: views.filter(isWanted), unseen };
}

/** The view is computed with rounded integers; its manifest has exact ones for printing. */
function viewOf(kind: Kind, manifest: JobManifest): JobView {
  const rounded = withoutBigInts(manifest as unknown as YamlValue) as unknown as JobManifest;
  return { ...jobView(kind, rounded), manifest };
}

function kindsOf(served: readonly ServedKind[]): string {
  return served.map(({ resource }) => resource.kind).join(', ');
}

/** In the column STATE of a job that no operator has reconciled. */
const NO_STATE = '-';

/** In lower case. */
function wantedStates(text: string | undefined): readonly string[] | undefined {
  const states = text?.split(',').map((state) => state.trim());
  const known = [...JOB_STATES, NO_STATE];
  const unknown = states?.find((state) => !known.some((each) => each.toLowerCase() === state.toLowerCase()));
  if (unknown !== undefined)
    throw new CommandError('usage', `"${unknown}" is not a state of a job: use one of ${known.join(', ')}.`);
  return states?.map((state) => state.toLowerCase());
}

/** For a kind that the user may not list: no items, and the refusal. */
async function listOf(
  { client }: Session,
  { kind, resource }: ServedKind,
  query: ListOptions,
): Promise<ServedKind & Pick<KubeList<JobManifest>, 'items'> & { readonly refusal?: string }> {
  try {
    return { kind, resource, items: (await client.list(resource, query)).items };
  } catch (error) {
    if (!isKubeError(error, 'Forbidden')) throw error;
    return { kind, resource, items: [], refusal: error.status?.message ?? error.message };
  }
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
  return table([columns, ...rows], '', (padded, cell, column) =>
    column === ofState ? inColourOf(cell, padded) : padded,
  );
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
