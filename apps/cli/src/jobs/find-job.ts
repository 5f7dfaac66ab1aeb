/** Jobs by the names that users give them: `mnist`, or `pytorchjob/mnist`. */
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

/** `pytorchjob/mnist`: what names the job whatever else has its name. */
export function referenceOf({ kind, name }: Pick<FoundJob, 'kind' | 'name'>): string {
  return `${kind.definition.singular}/${name}`;
}

/** `PyTorchJob team/mnist`, for messages. */
export function titleOf({ kind, namespace, name }: Omit<FoundJob, 'manifest' | 'resource'>): string {
  return `${kind.definition.resource.kind} ${namespace}/${name}`;
}

/**
 * The kind that a word names as kubectl takes it: kind, singular, plural or short name, perhaps with the group behind it, or with a
 * version and the group.
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

/** The one job of that name in the namespace. Throws a `CommandError` where there is none, or more than one. */
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
  throw new CommandError('ambiguous', `Several jobs are called ${name} in namespace ${namespace}; say which:\n${list}`);
}

/** Throws a `CommandError` where it cannot name a job. */
export function parseReference(reference: string): { kind: Kind | undefined; name: string } {
  const [first = '', name, ...rest] = reference.split('/');
  if (rest.length > 0 || first === '' || name === '') {
    throw new CommandError('usage', `"${reference}" is no job: say its name, or kind/name.`);
  }
  if (name === undefined) return { kind: undefined, name: first };
  const kind = kindNamed(first);
  if (kind !== undefined) return { kind, name };
  const known = KINDS.map(({ definition }) => definition.singular).join(', ');
  throw new CommandError('usage', `"${first}" is no kind of job: say one of ${known}.`);
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

/** What is said of a cluster that does not serve the kind, or none at all. */
export function notServed(kind: Kind | undefined): CommandError {
  if (kind === undefined) {
    const hint = 'install an operator, or at least its definitions: muster crds | kubectl apply -f -';
    return new CommandError('error', `This cluster serves no kind of job that Muster knows; ${hint}`);
  }
  const { installHint } = kind.adapter({ clusterDomain: 'cluster.local' });
  return new CommandError(
    'error',
    `This cluster serves no ${kind.definition.resource.kind}; install it: ${installHint}`,
  );
}

/** Of a kind that the user may not look at it is not known whether it has the job. */
function missing(reference: string, namespace: string, answers: readonly Answer[]): CommandError {
  const kinds = (isForbidden: boolean) =>
    answers
      .filter((answer) => 'isForbidden' in answer && answer.isForbidden === isForbidden)
      .map(({ kind }) => kind.definition.resource.kind)
      .join(', ');
  const looked = kinds(false) === '' ? '' : ` Looked among ${kinds(false)}.`;
  const unseen = kinds(true);
  if (unseen === '')
    return new CommandError('notFound', `There is no job ${reference} in namespace ${namespace}.${looked}`);
  const found = looked === '' ? '' : `, and there is none among ${kinds(false)}`;
  return new CommandError(
    'forbidden',
    `You are not allowed to get ${unseen} in namespace ${namespace}: whether there is a job ${reference} is not known${found}.`,
  );
}
