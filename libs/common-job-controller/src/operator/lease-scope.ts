/**
 * Which Lease an operator stands for, and whether who holds it does the same work.
 *
 * Operators that look after different namespaces need Leases of different names, or only one of them would ever work; so
 * the name follows from the namespaces. One that looks after all keeps the plain name. Who leads writes its namespaces
 * on the Lease: where a name was given outright, a follower can tell that its leader looks after others.
 */
import { createHash } from 'node:crypto';
import type { Lease } from '@muster/job-api';

/** On the Lease: the namespaces that its holder looks after, sorted, with commas between them; `*` for all. */
export const NAMESPACES_ANNOTATION = 'muster.dev/namespaces';

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
