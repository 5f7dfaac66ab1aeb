/** Finds the recorded reconcile runs of one job by name. */
import { deletionIn, recordIn, resourceKey, type RecordedLine, type RunRecord } from '@muster/recording';
import { CommandError } from '../exit-codes.ts';
import { kindNamed } from '../jobs/find-job.ts';
import { recordedAdapter } from '../replay/recorded-adapters.ts';

export interface RecordedJob {
  /** `pytorchjobs.kubeflow.org` */
  readonly resource: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface JobSelection {
  /** `mnist` or `pytorchjob/mnist`. */
  readonly reference: string;
  /** Default: any. */
  readonly namespace?: string | undefined;
  /** Of jobs with the same name that existed one after the other. Default: the newest. */
  readonly uid?: string | undefined;
}

export interface Collector {
  add(record: RunRecord, line: RecordedLine): void;
  addDeletion(atMs: number, line: RecordedLine): void;
}

export interface Collected<C> {
  readonly job: RecordedJob;
  readonly runs: C;
  /** UIDs of earlier jobs of the name, the newest first. */
  readonly earlier: readonly string[];
  /** Number of lines that cannot be read. */
  readonly unreadable: number;
}

/** Throws a `CommandError` if there is no recorded job of that name, or several. @param lines in the order of time */
export async function collectJob<C extends Collector>(
  lines: AsyncIterable<RecordedLine>,
  selection: JobSelection,
  create: () => C,
): Promise<Collected<C>> {
  const { name, kind } = parsed(selection.reference);
  const found = new Map<string, { job: RecordedJob; runs: C }>();
  let unreadable = 0;
  let read = 0;
  for await (const each of lines) {
    read++;
    // Most lines are about other jobs, and parsing takes time.
    if (!each.line.includes(nameText(name))) continue;
    try {
      collect(each);
    } catch {
      // The end of a file whose writer was killed, or a record of another version.
      unreadable++;
    }
  }
  return { ...chosen([...found.values()], selection, read), unreadable };

  function collect(line: RecordedLine): void {
    const deleted = deletionIn(line.line);
    if (deleted !== undefined) {
      found.get(keyOf(deleted))?.runs.addDeletion(deleted.atMs, line);
      return;
    }
    const record = recordIn(line.line);
    const job = jobOf(record);
    if (job.name !== name || !isOfKind(job, kind) || job.namespace !== (selection.namespace ?? job.namespace)) return;
    const known = found.get(keyOf(job)) ?? { job, runs: create() };
    // The newest is the last.
    found.delete(keyOf(job));
    found.set(keyOf(job), known);
    known.runs.add(record, line);
  }
}

/** Text that each line about a job of that name contains. */
export function nameText(name: string): string {
  return `"name":${JSON.stringify(name)}`;
}

export function nameIn(reference: string): string {
  return parsed(reference).name;
}

export function jobOf({ kind, world: { manifest } }: RunRecord): RecordedJob {
  const { namespace = '', name = '', uid = '' } = manifest.metadata ?? {};
  const { resource } = kind;
  return { resource, kind: manifest.kind ?? recordedAdapter(kind)?.resource.kind ?? resource, namespace, name, uid };
}

function keyOf({ resource, namespace, name, uid }: Omit<RecordedJob, 'kind'>): string {
  return [resource, namespace, name, uid].join('/');
}

function parsed(reference: string): { kind?: string; name: string } {
  const [first = '', name, ...rest] = reference.split('/');
  if (rest.length > 0 || first === '' || name === '') {
    throw new CommandError('usage', `"${reference}" is not a job: use name or kind/name.`);
  }
  return name === undefined ? { name: first } : { kind: first.toLowerCase(), name };
}

function isOfKind({ resource, kind }: RecordedJob, wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === kind.toLowerCase() || wanted === resource) return true;
  if (wanted === resource.split('.', 1)[0]) return true;
  const known = kindNamed(wanted);
  return known !== undefined && resourceKey(known.definition.resource) === resource;
}

function chosen<C>(
  found: readonly { job: RecordedJob; runs: C }[],
  { reference, namespace, uid }: JobSelection,
  read: number,
): Omit<Collected<C>, 'unreadable'> {
  const names = [...new Set(found.map(({ job }) => `${job.kind.toLowerCase()}/${job.name} -n ${job.namespace}`))];
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  if (names.length === 0) {
    const lines = `${read} ${read === 1 ? 'line was' : 'lines were'} read`;
    throw new CommandError('notFound', `The recording has no run of a job ${reference}${where}; ${lines}.`);
  }
  if (names.length > 1) {
    const list = names.map((each) => `  ${each}`).join('\n');
    throw new CommandError('ambiguous', `The recording has several jobs ${reference}. Use one of:\n${list}`);
  }
  const newest = found.toReversed();
  const wanted = uid === undefined ? newest[0] : newest.find(({ job }) => job.uid === uid);
  if (wanted === undefined) {
    const uids = newest.map(({ job }) => `  ${job.uid}`).join('\n');
    throw new CommandError('notFound', `The recording has no job ${reference} with UID ${uid}. Its UIDs are:\n${uids}`);
  }
  const earlier = newest.slice(newest.indexOf(wanted) + 1).map(({ job }) => job.uid);
  return { ...wanted, earlier };
}
