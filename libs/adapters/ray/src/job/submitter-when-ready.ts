/** The submitter of a RayJob before its cluster exists, for `muster plan`. */
import { newWorld, ownerReference } from '@muster/common-job-controller';
import { RAY_JOBS, type Job, type RayCluster, type RayJob } from '@muster/job-api';
import { clusterModel, DEFAULT_RAY_SETTINGS, type RaySettings } from '../cluster/ray-settings.ts';
import { headServiceName } from '../model/names.ts';
import { dashboardPort } from '../services/head-service.ts';
import { dashboardAddress } from './dashboard-address.ts';
import { observedRayJob } from './observe-ray-job.ts';
import { nextState } from './ray-job-state.ts';
import { submitterJob } from './submitter-job.ts';

/** Undefined in other modes than K8sJobMode. The job is new and valid, as stored. */
export function submitterWhenReady(
  job: RayJob,
  cluster: RayCluster,
  overrides: Partial<RaySettings> = {},
): Job | undefined {
  if (job.spec.submissionMode !== 'K8sJobMode') return undefined;
  const settings = { ...DEFAULT_RAY_SETTINGS, ...overrides };
  const model = clusterModel(cluster, settings);
  const head = { serviceName: headServiceName(model) };
  const ready = { ...cluster, status: { head, endpoints: { dashboard: String(dashboardPort(model)) } } };
  const { status: _status, ...declared } = job;
  const observed = observedRayJob(declared, newWorld(declared, 0), settings.clusterDomain);
  const dashboardURL = dashboardAddress({ ...observed, cluster: ready });
  const { record } = nextState(observed);
  const submitter = submitterJob(job, { ...record, ...(dashboardURL !== undefined && { dashboardURL }) }, model);
  const { name, namespace, uid } = observed;
  const owner = ownerReference({ resource: RAY_JOBS, metadata: { name, namespace, uid } });
  return { ...submitter, metadata: { ...submitter.metadata, ownerReferences: [owner] } };
}
