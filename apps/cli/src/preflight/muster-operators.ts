/**
 * Finds operators of Muster for the same jobs: by Deployments, because an operator may not lead or may have no Lease, and by
 * Leases, because an operator may run outside of the cluster.
 */
import { NAMESPACES_ANNOTATION, overlaps } from '@muster/common-job-controller';
import type { Lease, Resource } from '@muster/job-api';
import { isInShadow } from '../shadow/is-in-shadow.ts';
import type { Deployment, Finding, Release, ClusterState } from './seen-cluster.ts';

export interface MusterOperator {
  readonly finding: Finding;
  /** Its Helm release; undefined if it has none. */
  readonly release?: { readonly name: string; readonly namespace: string };
}

const NAME_LABEL = 'app.kubernetes.io/name';
const INSTANCE_LABEL = 'app.kubernetes.io/instance';
/** Set by the charts (`operator-lib.deployment`) if the operator is part of another chart. */
const PARENT_CHART_ANNOTATION = 'muster.dev/parent-chart';

/** A holder without a renewal for this time has ended, even if clocks differ. */
const GONE_AFTER_MS = 300_000;

export function musterOperators(
  framework: string,
  resources: readonly Resource[],
  seen: Pick<ClusterState, 'deployments' | 'leases' | 'nowMs'>,
  release: Release,
): MusterOperator[] {
  const kinds = resources.map(({ kind }) => kind).join(', ');
  const deployments = seen.deployments.filter((each) => isOperator(each, framework));
  const others = deployments.filter(
    (each) =>
      !isOf(each, release) && each.spec?.replicas !== 0 && !isShadow(each) && share(watchedBy(each), release.watched),
  );
  return [
    ...others.map((each) => ofDeployment(each, { framework, kinds })),
    ...conflictingLeases(framework, resources, seen, release).map((lease) => ({ finding: ofLease(lease, kinds) })),
  ];
}

/** Leases of operators of the same kinds that no pod of a known Deployment holds. */
export function conflictingLeases(
  framework: string,
  resources: readonly Resource[],
  { deployments, leases = [], nowMs }: Pick<ClusterState, 'deployments' | 'leases' | 'nowMs'>,
  { watched }: Release,
): Lease[] {
  const scope = { framework: leaseFramework(framework), namespaces: watched, kinds: resources };
  const operators = deployments.filter((each) => isOperator(each, framework));
  return leases.filter(
    (lease) => isHeld(lease, nowMs) && overlaps(lease, scope) && !operators.some((each) => isHeldByPodOf(lease, each)),
  );
}

function ofDeployment(
  deployment: Deployment,
  { framework, kinds }: { framework: string; kinds: string },
): MusterOperator {
  const { namespace = '', name = '', labels } = deployment.metadata ?? {};
  const what =
    `Deployment ${namespace}/${name} is Muster's operator of ${kinds} for ${namespacesText(watchedBy(deployment))}: a second one would do nothing ` +
    'while it runs. Upgrade it instead, or install one for other namespaces (--watch).';
  const instance = labels?.[INSTANCE_LABEL];
  if (instance === undefined)
    return { finding: { problem: what, fix: `kubectl -n ${namespace} scale deployment ${name} --replicas=0` } };
  return {
    finding: {
      problem: what,
      fix: `helm upgrade ${instance} ${chartOf(deployment, framework)} --namespace ${namespace} --reset-then-reuse-values`,
    },
    release: { name: instance, namespace },
  };
}

/** If a release of several operators were upgraded with the chart of one, it would lose the others. */
function chartOf({ metadata }: Deployment, framework: string): string {
  const parent = metadata?.annotations?.[PARENT_CHART_ANNOTATION];
  if (parent === undefined) return `charts/${framework}`;
  return parent === 'muster' ? 'charts/muster' : `CHART (its chart is ${parent})`;
}

function ofLease({ metadata, spec }: Lease, kinds: string): Finding {
  const { namespace, name, annotations } = metadata ?? {};
  const watched = annotations?.[NAMESPACES_ANNOTATION];
  return {
    problem:
      `${spec?.holderIdentity} holds the Lease ${namespace}/${name}: it is an operator of ${kinds} for ` +
      `${namespacesText(watched === undefined || watched === '*' ? [] : watched.split(','))}, and a second one would do nothing while it runs. Stop it, or ` +
      'install one for other namespaces (--watch).',
    fix: `kubectl -n ${namespace} get lease ${name} -o yaml`,
  };
}

function isOperator({ metadata }: Deployment, framework: string): boolean {
  return metadata?.labels?.[NAME_LABEL] === `muster-${framework}`;
}

function isOf({ metadata }: Deployment, { name, namespace }: Release): boolean {
  return metadata?.labels?.[INSTANCE_LABEL] === name && metadata.namespace === namespace;
}

/** One in shadow mode runs no jobs. */
function isShadow({ spec }: Deployment): boolean {
  const containers = spec?.template?.spec?.containers ?? [];
  return containers.some(({ args = [] }) => isInShadow(args));
}

/** Empty for all namespaces. */
function watchedBy({ spec }: Deployment): string[] {
  const containers = spec?.template?.spec?.containers ?? [];
  const args = containers.flatMap(({ args: own = [] }) => own);
  const flagged = args.flatMap((arg, at) => {
    if (arg === '--namespace') return args[at + 1] ?? [];
    return arg.startsWith('--namespace=') ? arg.slice('--namespace='.length) : [];
  });
  const variables = containers.flatMap(({ env = [] }) => env);
  const variable = variables.flatMap(({ name, value }) => (name === 'MUSTER_NAMESPACES' && value) || []);
  return (flagged.length > 0 ? flagged : variable).flatMap((names) => names.split(',')).filter((name) => name !== '');
}

function share(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((namespace) => b.includes(namespace));
}

function isHeld({ spec }: Lease, nowMs: number): boolean {
  const renewedMs = Date.parse(String(spec?.renewTime ?? ''));
  const isGone = !Number.isNaN(renewedMs) && nowMs - renewedMs > GONE_AFTER_MS;
  return (spec?.holderIdentity ?? '') !== '' && !isGone;
}

/** The Lease may be in another namespace than the Deployment. Kubernetes truncates long names in names of pods. */
function isHeldByPodOf({ spec }: Lease, { metadata }: Deployment): boolean {
  const name = metadata?.name ?? '';
  return (spec?.holderIdentity ?? '').startsWith(name.length > 46 ? name.slice(0, 46) : `${name}-`);
}

/** The framework's name in names of Leases. */
function leaseFramework(framework: string): string {
  return framework === 'pytorch-elastic' ? 'pytorch' : framework;
}

function namespacesText(namespaces: readonly string[]): string {
  if (namespaces.length === 0) return 'all namespaces';
  return `${namespaces.length === 1 ? 'namespace' : 'the namespaces'} ${namespaces.join(', ')}`;
}
