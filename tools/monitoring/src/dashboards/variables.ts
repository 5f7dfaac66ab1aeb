/** Variables of dashboards, and matchers for the series that they select. */
import { BUILD, JOBS, PER_JOB } from '@muster/metrics';
import { matching } from '../promql/matchers.ts';
import { oneOf, severalOf } from './dashboard.ts';
import type { Subject } from '../subject.ts';

/** Also matches series without the label. */
export const ANY = '.*';

/**
 * One cluster only: two clusters may have namespaces, jobs and Leases of the same name, which must not be added up. If series have no label
 * `cluster`, the variable is empty and selects them.
 */
export const IN_CLUSTER = { cluster: '$cluster' };

/** Series of the selected operator pods. */
export const OF_OPERATOR = { ...IN_CLUSTER, pod: matching('$pod') };

export function clusterVariable({ framework }: Subject) {
  return oneOf({ name: 'cluster', label: 'Cluster', metric: BUILD.info, matchers: { framework }, by: 'cluster' });
}

/** The operator's pods. Metrics of Node.js have no label for the framework, so the variable lists all pods of it. */
export function podVariable({ framework }: Subject) {
  const matchers = { framework, ...IN_CLUSTER };
  return severalOf({ name: 'pod', label: 'Operator', metric: BUILD.info, matchers, by: 'pod' });
}

/** Series of jobs in the selected namespaces. */
export function ofJobs({ jobsFramework: framework }: Subject) {
  return { framework, ...IN_CLUSTER, job_namespace: matching('$namespace') };
}

export function namespacesVariable({ jobsFramework: framework }: Subject) {
  const matchers = { framework, ...IN_CLUSTER };
  return severalOf({ name: 'namespace', label: 'Namespace', metric: JOBS.jobs, matchers, by: 'job_namespace' }, ANY);
}

/** Series of the selected job. */
export function ofJob({ jobsFramework: framework, kinds }: Subject) {
  const ofKind = kinds.length === 1 ? {} : { kind: '$kind' };
  return { framework, ...IN_CLUSTER, job_namespace: '$namespace', ...ofKind, job_name: '$job' };
}

/** Select a job. The kind is a variable only if the framework has several. */
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
