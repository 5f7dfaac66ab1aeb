/**
 * Operators for different namespaces need different Leases, or only one of them would work, so the name is derived from the namespaces. The
 * leader writes its namespaces to the Lease, so that a follower with a configured name can detect a leader for other namespaces.
 */
import { createHash } from 'node:crypto';
import type { Lease, Resource } from '@muster/job-api';

/** The holder's namespaces, sorted and separated by commas, or `*`. */
export const NAMESPACES_ANNOTATION = 'muster.dev/namespaces';

/** The holder's kinds as `plural.group`, sorted and separated by commas. */
const KINDS_ANNOTATION = 'muster.dev/kinds';

export const FRAMEWORK_LABEL = 'muster.dev/framework';

const HASH_LENGTH = 10;

export function leaseName(framework: string, namespaces: readonly string[]): string {
  const plain = `muster-${framework}`;
  if (namespaces.length === 0) return plain;
  if (namespaces.length === 1) return `${plain}-${namespaces[0]}`;
  const hash = createHash('sha256').update(namespacesText(namespaces)).digest('hex').slice(0, HASH_LENGTH);
  // Namespaces have no dot in their name.
  return `${plain}.${namespaces.length}-namespaces.${hash}`;
}

export function namespacesText(namespaces: readonly string[]): string {
  return namespaces.length === 0 ? '*' : namespaces.toSorted().join(',');
}

export interface LeaseScope {
  readonly framework: string;
  readonly namespaces: readonly string[];
  readonly kinds: readonly Resource[];
}

export function leaseMarks({ framework, namespaces, kinds }: LeaseScope) {
  return {
    labels: { [FRAMEWORK_LABEL]: framework },
    annotations: { [NAMESPACES_ANNOTATION]: namespacesText(namespaces), [KINDS_ANNOTATION]: kindsOf(kinds).join(',') },
  };
}

/** Operators of earlier releases set neither label nor kinds, so their Leases are recognised by name. */
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

/** Undefined if another pod of the same Deployment leads, since it stops once this one is ready. */
export function otherOperatorProblem(
  other: Lease | undefined,
  own: { readonly leaseNamespace: string; readonly hostname: string; readonly namespaces: readonly string[] },
): string | undefined {
  if (other === undefined) return undefined;
  const { namespace, name, annotations } = other.metadata ?? {};
  const holder = other.spec?.holderIdentity ?? '';
  if (namespace === own.leaseNamespace && areOfOneDeployment(holder, own.hostname)) return undefined;
  return (
    `another operator runs the same jobs: ${holder}, with the Lease ${name} in namespace ${namespace}, watches ` +
    `${phraseOf(annotations?.[NAMESPACES_ANNOTATION] ?? '*')}, and this operator watches ` +
    `${phraseOf(namespacesText(own.namespaces))}. This operator is inactive until the other one stops: remove one of them, or set different ` +
    'namespaces (--namespace, in the charts watch.scope)'
  );
}

/** A Deployment's pod is named `<deployment>-<hash>-<5 characters>`. An identity has a suffix. */
function areOfOneDeployment(identity: string, hostname: string): boolean {
  const deploymentOf = (pod: string) => /^(.+)-[a-z0-9]{1,10}-[a-z0-9]{5}$/.exec(pod)?.[1];
  const own = deploymentOf(hostname);
  return own !== undefined && deploymentOf(identity.split('_')[0] ?? '') === own;
}

export function leaseScopeProblem(lease: Lease | undefined, namespaces: readonly string[]): string | undefined {
  const theirs = lease?.metadata?.annotations?.[NAMESPACES_ANNOTATION];
  const holder = lease?.spec?.holderIdentity ?? '';
  const ours = namespacesText(namespaces);
  if (holder === '' || theirs === undefined || theirs === ours) return undefined;
  const { namespace, name } = lease?.metadata ?? {};
  return (
    `the Lease ${name} in namespace ${namespace} is held by ${holder}, which watches ${phraseOf(theirs)}, ` +
    `but this operator watches ${phraseOf(ours)}: only one of them is active. Set a different --leader-election-id ` +
    'for each, or the same --namespace for both'
  );
}

function phraseOf(namespaces: string): string {
  if (namespaces === '*') return 'all namespaces';
  return `${namespaces.includes(',') ? 'the namespaces' : 'namespace'} ${namespaces.replaceAll(',', ', ')}`;
}
