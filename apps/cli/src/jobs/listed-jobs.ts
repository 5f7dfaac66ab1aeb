/** Jobs of all kinds that the cluster serves. */
import { isKubeError, type KubeList, type ListOptions } from '@muster/kube';
import type { JobManifest } from '@muster/common-job-controller';
import { withoutBigInts, type YamlValue } from '@muster/kubernetes-yaml';
import { CommandError } from '../exit-codes.ts';
import type { Kind } from '../kinds.ts';
import type { Session } from '../session.ts';
import { warn } from '../terminal/output.ts';
import { parseObjectsExactly } from './exact-object.ts';
import { kindNamed, notAKind, notServed } from './find-job.ts';
import { JOB_STATES, jobView, type JobView } from './job-view.ts';
import { servedKinds, type ServedKind } from './served-kinds.ts';

export interface Selection {
  readonly allNamespaces?: boolean;
  readonly state?: string;
  readonly kind?: string;
  readonly selector?: string;
  /** Whether integers of any size are kept, for output as JSON or YAML. */
  readonly isExact?: boolean;
}

export interface Listed {
  readonly views: readonly JobView[];
  /** Kinds that the user may not list. */
  readonly unseen: readonly ServedKind[];
}

export async function listedJobs(session: Session, selection: Selection): Promise<Listed> {
  const { allNamespaces, kind, selector, isExact = false } = selection;
  const wanted = kind === undefined ? undefined : kindNamed(kind);
  if (kind !== undefined && wanted === undefined) throw notAKind(kind);
  const states = wantedStates(selection.state);
  const served = (await servedKinds(session.client)).filter((each) => wanted === undefined || each.kind === wanted);
  if (served.length === 0) throw notServed(wanted);
  const where = allNamespaces === true ? {} : { namespace: session.namespace };
  const parse = isExact ? { parse: parseObjectsExactly } : {};
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

/** Says that the list lacks kinds. */
export function warnOfUnseen(unseen: readonly ServedKind[], where: string): void {
  if (unseen.length > 0) warn(`This list is not complete: you are not allowed to list ${kindsOf(unseen)} in ${where}.`);
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
