/** Submits manifests to a cluster: finds their resources, checks and creates them. */
import { annotationProblems, type KubeObject, type Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { withExactIntegers } from '@muster/kubernetes-yaml';
import { CommandError, EXIT_CODES } from '../exit-codes.ts';
import { kindOf } from '../kinds.ts';
import { ignoredParts } from '../planned-objects.ts';
import { differenceOf } from './difference.ts';
import { parseObjectsExactly } from './exact-object.ts';
import { refusalOf } from './refusal.ts';

/** One object to create. */
export interface Submission {
  readonly resource: Resource;
  readonly manifest: KubeObject;
  /** Its place in the file. */
  readonly place: string;
}

export type Validation = 'strict' | 'warn' | 'ignore';

export interface Where {
  /** The namespace of objects without one. */
  readonly namespace: string;
  /** Whether the command line sets it. Then no object may be in another one. */
  readonly isNamed: boolean;
}

interface PlacedManifest {
  readonly exact: KubeObject;
  readonly place: string;
}

/** Throws if the cluster does not serve a kind, or if the file contradicts the command line. */
export async function submissions(
  client: KubeClient,
  manifests: readonly PlacedManifest[],
  { namespace, isNamed }: Where,
): Promise<Submission[]> {
  const all = await Promise.all(
    manifests.map(async ({ exact: manifest, place }) => {
      const resource = await resourceOf(client, manifest);
      const where = resource.namespaced ? { namespace } : {};
      const own = resource.namespaced ? manifest.metadata?.namespace : undefined;
      if (isNamed && own !== undefined && own !== '' && own !== namespace)
        throw contradiction(place, manifest, namespace);
      return { resource, place, manifest: { ...manifest, metadata: { ...where, ...manifest.metadata } } };
    }),
  );
  refuseDuplicates(all);
  return all;
}

/** kubectl refuses this, too. */
export function contradiction(place: string, { kind, metadata }: KubeObject, namespace: string): CommandError {
  const own = metadata?.namespace ?? '';
  const name = metadata?.name ?? metadata?.generateName ?? '';
  return new CommandError(
    'usage',
    `${place}: ${kind} ${name} is in namespace ${own}, but -n is ${namespace}: leave out -n, or use -n ${own}.`,
  );
}

/** The second of two objects of one name would be refused after the first is created. */
function refuseDuplicates(all: readonly Submission[]): void {
  const places = new Map<string, string>();
  for (const submission of all) {
    const { resource, manifest, place } = submission;
    const { namespace = '', name } = manifest.metadata ?? {};
    if (name === undefined || name === '') continue;
    const key = [resource.group, resource.plural, namespace, name].join('/');
    const first = places.get(key);
    if (first !== undefined)
      throw new CommandError('error', `${first} and ${place} are both ${submissionName(submission)}: nothing is sent.`);
    places.set(key, place);
  }
}

/** As kubectl prints it: `pytorchjob.kubeflow.org/mnist`. */
export function submissionName({
  resource,
  manifest: { metadata },
}: Pick<Submission, 'resource' | 'manifest'>): string {
  const group = resource.group === '' ? '' : `.${resource.group}`;
  return `${resource.kind.toLowerCase()}${group}/${metadata?.name ?? metadata?.generateName ?? ''}`;
}

async function resourceOf(client: KubeClient, { apiVersion = '', kind = '' }: KubeObject): Promise<Resource> {
  const [first = '', second] = apiVersion.split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  let alike: string | undefined;
  try {
    const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
    const { resources = [] } = await client.raw<{ resources?: ServedResource[] }>(path);
    const found = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    if (found !== undefined) return { group, version, kind, plural: found.name, namespaced: found.namespaced };
    alike = resources.find((resource) => resource.kind.toLowerCase() === kind.toLowerCase())?.kind;
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
  const known = kindOf({ apiVersion, kind })?.adapter({ clusterDomain: 'cluster.local' });
  const spelling = alike === undefined ? 'check apiVersion and kind' : `did you mean ${alike}?`;
  const hint = known === undefined ? spelling : `install it: ${known.installHint}`;
  throw new CommandError(
    'error',
    `This cluster serves no ${kind || 'kind'} of ${apiVersion || 'no apiVersion'}; ${hint}${hint.endsWith('?') ? '' : '.'}`,
  );
}

interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Problems that the API server does not detect: invalid annotations and unknown fields. One line each, with the path. */
export function clientSideProblems(
  manifest: KubeObject,
  validation: Validation,
): { errors: string[]; warnings: string[] } {
  const errors = annotationProblems(manifest).map(({ path, message }) => `${path}: ${message}`);
  const unread = validation === 'ignore' ? [] : ignoredParts(manifest);
  return validation === 'strict' ? { errors: [...errors, ...unread], warnings: [] } : { errors, warnings: unread };
}

const FIELD_VALIDATION = { strict: 'Strict', warn: 'Warn', ignore: 'Ignore' } as const;

export interface Sending {
  readonly validation: Validation;
  /** No request starts after it has aborted. */
  readonly signal: AbortSignal;
}

export interface Making extends Sending {
  /** Called with each object before it is sent. */
  readonly onSend: (submission: Submission) => void;
  /** Called with each object as soon as it is created, or found to equal the one in the file. */
  readonly onMade: (submission: Submission, made: KubeObject, outcome: Outcome) => void;
}

/** As kubectl prints it. */
export type Outcome = 'created' | 'unchanged';

interface Made {
  readonly object: KubeObject;
  readonly outcome: Outcome;
}

/** What the API server would store. The error names all refused objects. */
export async function dryRunAll(
  client: KubeClient,
  all: readonly Submission[],
  { validation, signal }: Sending,
): Promise<KubeObject[]> {
  const tried = await eachTried(client, all, { validation, signal }, () => true);
  return all.flatMap((submission) => tried.get(submission)?.object ?? []);
}

async function eachTried(
  client: KubeClient,
  all: readonly Submission[],
  { validation, signal }: Sending,
  isTriable: (submission: Submission, absent: ReadonlySet<string | undefined>) => boolean,
): Promise<Map<Submission, Made>> {
  const tried = new Map<Submission, Made>();
  const refusals: CommandError[] = [];
  /** Namespaces of the file that do not exist yet. */
  const absent = new Set<string | undefined>();
  for (const submission of all) {
    signal.throwIfAborted();
    if (!isTriable(submission, absent)) continue;
    try {
      const made = await createdOrThere(client, submission, validation, true);
      tried.set(submission, made);
      if (isNamespace(submission) && made.outcome === 'created') absent.add(submission.manifest.metadata?.name);
    } catch (error) {
      const refusal = submissionRefusal(submission, error);
      if (!(refusal instanceof CommandError) || refusal.exitCode !== EXIT_CODES.error.code) throw refusal;
      refusals.push(refusal);
    }
  }
  const [first, ...others] = refusals;
  if (first !== undefined) throw others.reduce((before, { message }) => before.with(message), first);
  return tried;
}

function inNamespaceThatExists({ manifest }: Submission, absent: ReadonlySet<string | undefined>): boolean {
  return !absent.has(manifest.metadata?.namespace);
}

function submissionRefusal(submission: Submission, error: unknown): unknown {
  return refusalOf(titleOf(submission), error);
}

/**
 * Creates the objects in their order. An existing object that equals the one in the file is kept; an existing job is refused. A dry
 * run of several objects comes first: if one is refused, none is created. It skips objects in a namespace that the file creates, and
 * cannot foresee a quota that the first objects use up. If a creation fails, the objects before it are kept, and the error lists
 * them. A creation that has started when `signal` aborts continues.
 */
export async function createAll(
  client: KubeClient,
  all: readonly Submission[],
  { validation, signal, onSend, onMade }: Making,
): Promise<void> {
  const tried =
    all.length === 1
      ? new Map<Submission, Made>()
      : await eachTried(client, all, { validation, signal }, inNamespaceThatExists).catch((error: unknown) => {
          throw error instanceof CommandError ? error.with('Nothing has been created.') : error;
        });
  const done: string[] = [];
  for (const [at, submission] of all.entries()) {
    signal.throwIfAborted();
    const there = tried.get(submission);
    if (there?.outcome === 'unchanged') {
      onMade(submission, there.object, there.outcome);
      continue;
    }
    onSend(submission);
    try {
      const { object, outcome } = await createdOrThere(client, submission, validation, false);
      if (outcome === 'created') done.push(submissionName({ ...submission, manifest: object }));
      onMade(submission, object, outcome);
    } catch (error) {
      throw all.length === 1 ? submissionRefusal(submission, error) : halfway(all, at, done, error);
    }
  }
}

/** Throws if the object exists, and is a job or differs from the file. */
async function createdOrThere(
  client: KubeClient,
  submission: Submission,
  validation: Validation,
  dryRun: boolean,
): Promise<Made> {
  try {
    return { object: await created(client, submission, validation, dryRun), outcome: 'created' };
  } catch (error) {
    const { manifest } = submission;
    if (!isKubeError(error, 'AlreadyExists') || kindOf(manifest) !== undefined) throw error;
    return { object: await found(client, submission), outcome: 'unchanged' };
  }
}

/** The existing object, if it equals the one in the file. */
async function found(client: KubeClient, submission: Submission): Promise<KubeObject> {
  const { resource, manifest } = submission;
  const { name = '', namespace } = manifest.metadata ?? {};
  const key = { name, ...(resource.namespaced && namespace !== undefined && { namespace }) };
  const group = resource.group === '' ? '' : `.${resource.group}`;
  const where = resource.namespaced ? ` -n ${namespace}` : '';
  const remedy = `delete it (kubectl delete ${resource.plural}${group} ${name}${where}), or give it another name in the file.`;
  const refusal = (why: string) => new CommandError('error', `${titleOf(submission)} already exists, and ${why}`);
  const stored = await client.get(resource, key, { parse: parseObjectsExactly }).catch((error: unknown) => {
    if (isKubeError(error, 'Forbidden')) throw refusal(`cannot be read to compare it with the file: ${remedy}`);
    throw error;
  });
  if (stored.metadata?.deletionTimestamp !== undefined)
    throw refusal('is being deleted: submit the file again when it is gone.');
  const path = differenceOf(manifest, stored);
  if (path !== undefined) throw refusal(`differs from the file in ${path}: ${remedy}`);
  return stored;
}

function isNamespace({ resource }: Submission): boolean {
  return resource.group === '' && resource.kind === 'Namespace';
}

function titleOf({ manifest: { kind, metadata } }: Submission): string {
  return `${kind} ${metadata?.name ?? metadata?.generateName}`;
}

/** Adds to the error which objects were created and which were not. If an answer was lost, the object may have been created. */
function halfway(all: readonly Submission[], at: number, done: readonly string[], error: unknown): unknown {
  const failed = all[at];
  if (failed === undefined || !(isKubeError(error) || error instanceof CommandError)) return error;
  const refusal = submissionRefusal(failed, error);
  const reason = refusal instanceof CommandError ? refusal : new CommandError('error', error.message);
  const isUnknown = isKubeError(error) && (error.code === 0 || error.code >= 500);
  const missing = all.slice(isUnknown ? at + 1 : at).map(submissionName);
  const lines = [
    `Created: ${done.join(', ') || 'nothing'}.`,
    ...(isUnknown ? [`Perhaps created: ${submissionName(failed)}.`] : []),
    ...(missing.length === 0 ? [] : [`Not created: ${missing.join(', ')}.`]),
  ];
  return reason.with(lines.join('\n'));
}

function created(
  client: KubeClient,
  { resource, manifest }: Submission,
  validation: Validation,
  dryRun: boolean,
): Promise<KubeObject> {
  return client.create(resource, withExactIntegers(manifest) as KubeObject, {
    dryRun,
    fieldValidation: FIELD_VALIDATION[validation],
    fieldManager: 'muster',
    parse: parseObjectsExactly,
  });
}
