/** Finds jobs by name: `mnist`, or `pytorchjob/mnist`. */
import type { JobManifest } from '@muster/common-job-controller';
import { versionsOf, type Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { CommandError } from '../exit-codes.ts';
import { KINDS, type Kind } from '../kinds.ts';
import { servedKinds, type ServedKind } from './served-kinds.ts';

export interface FoundJob {
  readonly kind: Kind;
  readonly resource: Resource<JobManifest>;
  readonly manifest: JobManifest;
  readonly name: string;
  readonly namespace: string;
}

/** `pytorchjob/mnist`, which is unique among kinds. */
export function referenceOf({ kind, name }: Pick<FoundJob, 'kind' | 'name'>): string {
  return `${kind.definition.singular}/${name}`;
}

/** `PyTorchJob team/mnist`, for messages. */
export function titleOf({ kind, namespace, name }: Omit<FoundJob, 'manifest' | 'resource'>): string {
  return `${kind.definition.resource.kind} ${namespace}/${name}`;
}

/**
 * Finds a kind as kubectl does: by kind, singular, plural or short name, optionally followed by the group, or by version and
 * group.
 */
export function kindNamed(word: string): Kind | undefined {
  const [name = '', ...suffix] = word.toLowerCase().split('.');
  const behind = suffix.join('.');
  return KINDS.find(({ definition }) => {
    const { resource, singular, shortNames } = definition;
    const names = [resource.kind.toLowerCase(), singular, resource.plural, ...shortNames];
    const versions = versionsOf(definition).map((version) => `${version.name}.${resource.group}`);
    return names.includes(name) && ['', resource.group, ...versions].includes(behind);
  });
}

/** As `list -o name` and kubectl print it: `pytorchjob.kubeflow.org/mnist`. */
export function qualifiedName({ definition }: Kind, name: string): string {
  return `${definition.singular}.${definition.resource.group}/${name}`;
}

/** The only job of that name in the namespace. Throws a `CommandError` if there is none or more than one. */
export async function findJob(client: KubeClient, reference: string, namespace: string): Promise<FoundJob> {
  const { kind, name } = parseReference(reference);
  const served = await servedKinds(client);
  const wanted = served.filter((each) => kind === undefined || each.kind === kind);
  if (wanted.length === 0) throw notServed(kind);
  const answers = await Promise.all(wanted.map((each) => lookFor(client, each, { name, namespace })));
  const found = answers.flatMap((answer) => ('manifest' in answer ? [answer] : []));
  const [first, second] = found;
  if (first === undefined) throw missing(reference, namespace, answers);
  if (second === undefined) return first;
  const list = found.map((each) => `  ${referenceOf(each)}`).join('\n');
  throw new CommandError(
    'ambiguous',
    `Several jobs have the name ${name} in namespace ${namespace}. Use one of:\n${list}`,
  );
}

/** Throws a `CommandError` if it is not a valid reference. */
export function parseReference(reference: string): { kind: Kind | undefined; name: string } {
  const [first = '', name, ...rest] = reference.split('/');
  if (rest.length > 0 || first === '' || name === '') {
    throw new CommandError('usage', `"${reference}" is not a job: use name or kind/name.`);
  }
  if (name === undefined) return { kind: undefined, name: first };
  const kind = kindNamed(first);
  if (kind !== undefined) return { kind, name };
  throw notAKind(first);
}

export function notAKind(word: string): CommandError {
  const known = KINDS.map(({ definition }) => definition.singular).join(', ');
  return new CommandError('usage', `"${word}" is not a kind of job: use one of ${known}.`);
}

type Answer = FoundJob | { readonly kind: Kind; readonly isForbidden: boolean };

async function lookFor(
  client: KubeClient,
  { kind, resource }: ServedKind,
  key: { name: string; namespace: string },
): Promise<Answer> {
  try {
    return { kind, resource, manifest: await client.get(resource, key), ...key };
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return { kind, isForbidden: false };
    if (isKubeError(error, 'Forbidden')) return { kind, isForbidden: true };
    throw error;
  }
}

/** The error for a cluster that does not serve the kind, or any kind. */
export function notServed(kind: Kind | undefined): CommandError {
  if (kind === undefined) {
    const hint = 'install an operator, or at least its CRDs: muster crds | kubectl apply -f -';
    return new CommandError('error', `This cluster serves no kind of job that Muster supports; ${hint}`);
  }
  const { installHint } = kind.adapter({ clusterDomain: 'cluster.local' });
  return new CommandError(
    'error',
    `This cluster does not serve ${kind.definition.resource.kind}; install it: ${installHint}`,
  );
}

/** A kind that the user may not get may have the job. */
function missing(reference: string, namespace: string, answers: readonly Answer[]): CommandError {
  const kinds = (isForbidden: boolean) =>
    answers
      .filter((answer) => 'isForbidden' in answer && answer.isForbidden === isForbidden)
      .map(({ kind }) => kind.definition.resource.kind)
      .join(', ');
  const looked = kinds(false) === '' ? '' : ` Searched kinds: ${kinds(false)}.`;
  const unseen = kinds(true);
  if (unseen === '')
    return new CommandError('notFound', `There is no job ${reference} in namespace ${namespace}.${looked}`);
  const found = looked === '' ? '' : ` It is not among ${kinds(false)}.`;
  return new CommandError(
    'forbidden',
    `You are not allowed to get ${unseen} in namespace ${namespace}: it is unknown whether job ${reference} exists.${found}`,
  );
}
