/** Variables that dashboards share, and matchers of the series that they choose. */
import { BUILD, JOBS, PER_JOB } from '@muster/metrics';
import { matching } from '../promql/matchers.ts';
import { oneOf, severalOf } from './dashboard.ts';
import type { Subject } from '../subject.ts';

/** `.*` matches also what has no value. */
const ANY = '.*';

/**
 * One cluster: namespaces, jobs and Leases of two clusters may have the same names, and must not be added up. Where series have no label
 * `cluster`, the variable is empty, which selects them.
 */
export const IN_CLUSTER = { cluster: '$cluster' };

/** Series of the operator's processes that are chosen. */
export const OF_OPERATOR = { ...IN_CLUSTER, pod: matching('$pod') };

export function clusterVariable({ framework }: Subject) {
  return oneOf({ name: 'cluster', label: 'Cluster', metric: BUILD.info, matchers: { framework }, by: 'cluster' });
}

/** The pods of the operator. What the processes of Node export has no label of the framework, so all of them are named. */
export function podVariable({ framework }: Subject) {
  const matchers = { framework, ...IN_CLUSTER };
  return severalOf({ name: 'pod', label: 'Operator', metric: BUILD.info, matchers, by: 'pod' });
}

/** Series of jobs in the namespaces that are chosen. */
export function ofJobs({ jobsFramework: framework }: Subject) {
  return { framework, ...IN_CLUSTER, job_namespace: matching('$namespace') };
}

export function namespacesVariable({ jobsFramework: framework }: Subject) {
  const matchers = { framework, ...IN_CLUSTER };
  return severalOf({ name: 'namespace', label: 'Namespace', metric: JOBS.jobs, matchers, by: 'job_namespace' }, ANY);
}

/** Series of the job that is chosen. */
export function ofJob({ jobsFramework: framework, kinds }: Subject) {
  const ofKind = kinds.length === 1 ? {} : { kind: '$kind' };
  return { framework, ...IN_CLUSTER, job_namespace: '$namespace', ...ofKind, job_name: '$job' };
}

/** Those by which a job is chosen; the kind only where there are several. */
export function jobVariables({ jobsFramework: framework, kinds }: Subject) {
  const metric = PER_JOB.info;
  const inCluster = { framework, ...IN_CLUSTER };
  const inNamespace = { ...inCluster, job_namespace: '$namespace' };
  const ofKind = { ...inNamespace, ...(kinds.length === 1 ? {} : { kind: '$kind' }) };
  return [
    oneOf({ name: 'namespace', label: 'Namespace', metric, matchers: inCluster, by: 'job_namespace' }),
    ...(kinds.length === 1 ? [] : [oneOf({ name: 'kind', label: 'Kind', metric, matchers: inNamespace, by: 'kind' })]),
    oneOf({ name: 'job', label: 'Job', metric, matchers: ofKind, by: 'job_name' }),
  ];
}
