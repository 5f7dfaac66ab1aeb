/**
 * Which Lease an operator stands for, and whether who holds it does the same work.
 *
 * Operators that look after different namespaces need Leases of different names, or only one of them would ever work; so
 * the name follows from the namespaces. One that looks after all keeps the plain name. Who leads writes its namespaces
 * on the Lease: where a name was given outright, a follower can tell that its leader looks after others.
 */
import { createHash } from 'node:crypto';
import type { Lease, Resource } from '@muster/job-api';

/** On the Lease: the namespaces that its holder looks after, sorted, with commas between them; `*` for all. */
export const NAMESPACES_ANNOTATION = 'muster.dev/namespaces';

/** On the Lease: the kinds of jobs that its holder runs, as `plural.group`, sorted, with commas between them. */
const KINDS_ANNOTATION = 'muster.dev/kinds';

/** On the Lease, as a label: the framework of the operators that stand for it. */
export const FRAMEWORK_LABEL = 'muster.dev/framework';

const HASH_LENGTH = 10;

/** @param namespaces empty for all of them */
export function leaseName(framework: string, namespaces: readonly string[]): string {
  const plain = `muster-${framework}`;
  if (namespaces.length === 0) return plain;
  if (namespaces.length === 1) return `${plain}-${namespaces[0]}`;
  const hash = createHash('sha256').update(namespacesText(namespaces)).digest('hex').slice(0, HASH_LENGTH);
  // No namespace has a dot in its name.
  return `${plain}.${namespaces.length}-namespaces.${hash}`;
}

/** The value of {@link NAMESPACES_ANNOTATION}. */
export function namespacesText(namespaces: readonly string[]): string {
  return namespaces.length === 0 ? '*' : namespaces.toSorted().join(',');
}

/** What an operator does: whose jobs of which kinds it runs. */
export interface LeaseScope {
  readonly framework: string;
  /** Empty: all of them. */
  readonly namespaces: readonly string[];
  readonly kinds: readonly Resource[];
}

export function leaseMarks({ framework, namespaces, kinds }: LeaseScope) {
  return {
    labels: { [FRAMEWORK_LABEL]: framework },
    annotations: { [NAMESPACES_ANNOTATION]: namespacesText(namespaces), [KINDS_ANNOTATION]: kindsOf(kinds).join(',') },
  };
}

/**
 * Whether the holder of `lease` runs jobs that an operator of `scope` would run as well. Operators of earlier releases write no label and no
 * kinds: their Leases are known by their names.
 */
export function overlaps(lease: Lease, scope: LeaseScope): boolean {
  const { name = '', labels, annotations } = lease.metadata ?? {};
  const isOfFramework =
    labels?.[FRAMEWORK_LABEL] === undefined
      ? isNameOf(name, scope.framework)
      : labels[FRAMEWORK_LABEL] === scope.framework;
  if (!isOfFramework) return false;
  const kinds = annotations?.[KINDS_ANNOTATION]?.split(',');
  if (kinds !== undefined && !kindsOf(scope.kinds).some((kind) => kinds.includes(kind))) return false;
  const namespaces = annotations?.[NAMESPACES_ANNOTATION];
  if (namespaces === undefined) return name === leaseName(scope.framework, []);
  return (
    namespaces === '*' ||
    scope.namespaces.length === 0 ||
    namespaces.split(',').some((namespace) => scope.namespaces.includes(namespace))
  );
}

function isNameOf(name: string, framework: string): boolean {
  const plain = leaseName(framework, []);
  return name === plain || name.startsWith(`${plain}-`) || name.startsWith(`${plain}.`);
}

function kindsOf(kinds: readonly Resource[]): string[] {
  return kinds.map(({ plural, group }) => `${plural}.${group}`).toSorted();
}

/**
 * The message of an operator whose own Lease is free and that does not lead because of `rival`. Undefined where another pod of the same Deployment
 * leads with other namespaces: that pod ends once this one is ready.
 *
 * @param own where this operator's Lease is, and its host name
 */
export function rivalProblem(
  rival: Lease | undefined,
  own: { readonly leaseNamespace: string; readonly hostname: string; readonly namespaces: readonly string[] },
): string | undefined {
  if (rival === undefined) return undefined;
  const { namespace, name, annotations } = rival.metadata ?? {};
  const holder = rival.spec?.holderIdentity ?? '';
  if (namespace === own.leaseNamespace && areOfOneDeployment(holder, own.hostname)) return undefined;
  return (
    `another operator runs the same jobs: ${holder}, by the Lease ${name} in namespace ${namespace}, looks after ` +
    `${inWords(annotations?.[NAMESPACES_ANNOTATION] ?? '*')}, while this operator is to look after ` +
    `${inWords(namespacesText(own.namespaces))}. This one does nothing until the other one has ended: remove one of the two, or give each ` +
    'namespaces of its own (--namespace, in the charts watch.scope)'
  );
}

/** A pod of a Deployment is called `<deployment>-<hash>-<5 characters>`; an identity has more behind that. */
function areOfOneDeployment(identity: string, hostname: string): boolean {
  const deploymentOf = (pod: string) => /^(.+)-[a-z0-9]{1,10}-[a-z0-9]{5}$/.exec(pod)?.[1];
  const own = deploymentOf(hostname);
  return own !== undefined && deploymentOf(identity.split('_')[0] ?? '') === own;
}

/** What is wrong with standing for `lease`, in words that say what to do; undefined when nothing is. */
export function leaseScopeProblem(lease: Lease | undefined, namespaces: readonly string[]): string | undefined {
  const theirs = lease?.metadata?.annotations?.[NAMESPACES_ANNOTATION];
  const holder = lease?.spec?.holderIdentity ?? '';
  const ours = namespacesText(namespaces);
  if (holder === '' || theirs === undefined || theirs === ours) return undefined;
  const { namespace, name } = lease?.metadata ?? {};
  return (
    `the Lease ${name} in namespace ${namespace} is held by ${holder}, which looks after ${inWords(theirs)}, ` +
    `while this operator is to look after ${inWords(ours)}: only one of them works; give each a --leader-election-id ` +
    'of its own, or both the same --namespace'
  );
}

function inWords(namespaces: string): string {
  if (namespaces === '*') return 'all namespaces';
  return `${namespaces.includes(',') ? 'the namespaces' : 'namespace'} ${namespaces.replaceAll(',', ', ')}`;
}
