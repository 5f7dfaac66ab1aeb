/**
 * - `PerJob` (the default): one headless Service for all pods. Each pod has `hostname` and `subdomain`, so that
 *   `<pod>.<service>.<namespace>.svc` resolves, and a DNS search entry, so that the bare pod name resolves. The replica
 *   that others connect to also has a Service of its pod's name, as Kubeflow's manifests expect.
 * - `PerReplica`, as in Kubeflow: a headless Service of the pod's name for each replica.
 *
 * A job keeps its initial mode: a change would remove names that running pods use.
 */
import {
  ANNOTATIONS,
  LABELS,
  SERVICE_MODES,
  canBePodName,
  type Pod,
  type Service,
  type ServiceMode,
} from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { podNameOf } from '../model/pod-name.ts';
import { hasRoomFor } from './dns-search.ts';
import type { JobPlanContext } from '../world/plan-context.ts';

type Job = Pick<TrainingJob, 'metadata'>;

export interface ServiceNetwork {
  readonly mode: ServiceMode;
  readonly jobService: string;
}

interface ExistingObjects {
  readonly services: readonly Service[];
  readonly pods: readonly Pod[];
  readonly conflictingServices: Pick<ReadonlySet<string>, 'has'>;
}

/** Undefined if the framework manages the names of its pods. */
export function serviceNetwork(
  context: Pick<JobPlanContext, 'adapter' | 'job' | 'settings'>,
  existing: ExistingObjects,
): ServiceNetwork | undefined {
  const { adapter, job } = context;
  if (adapter.network === undefined) return undefined;
  const jobService = jobServiceName(job, existing);
  if (existingJobService(job, existing) !== undefined) return { mode: 'PerJob', jobService };
  const addressed = adapter.network.addressed(job);
  // It has a Service in either mode.
  const name = addressed && podNameOf(job, addressed);
  const isPerReplica = existing.services.some(({ metadata }) => metadata?.name !== name);
  return { mode: isPerReplica ? 'PerReplica' : newMode(context, jobService), jobService };
}

/**
 * Once chosen, the name does not change. It is not the job's if another owner has a Service of that name, or if it could
 * be the name of another job's pod.
 */
export function jobServiceName(job: Job, existing: ExistingObjects): string {
  const { name } = job.metadata;
  const isTaken = existing.conflictingServices.has(name) || canBePodName(name);
  return existingJobService(job, existing) ?? (isTaken ? ownNameOf(job) : name);
}

function existingJobService(job: Job, { services, pods }: ExistingObjects): string | undefined {
  // Pods have the name they were created with, also if the Service was deleted since.
  const known = pods
    .map(({ spec }) => spec?.subdomain)
    .find((subdomain) => subdomain === job.metadata.name || subdomain === ownNameOf(job));
  return services.find(isJobService)?.metadata?.name ?? known;
}

function ownNameOf({ metadata: { name, uid } }: Job): string {
  return `${name.slice(0, 54)}-${uid.slice(0, 8)}`;
}

function newMode({ job, settings }: Pick<JobPlanContext, 'job' | 'settings'>, jobService: string): ServiceMode {
  const wanted = job.metadata.annotations?.[ANNOTATIONS.serviceMode];
  const search = searchOf(job, jobService, settings.clusterDomain);
  const needsOwnServices = job.roles.some((role) => needsOwnService(role, search));
  return SERVICE_MODES.find((mode) => mode === wanted) ?? (needsOwnServices ? 'PerReplica' : settings.serviceMode);
}

export function searchOf({ metadata }: Job, jobService: string, clusterDomain: string): string {
  return `${jobService}.${metadata.namespace}.svc.${clusterDomain}`;
}

/** The job's Service resolves neither a hostname or subdomain of the user nor, without the search entry, bare names. */
function needsOwnService({ template: { spec } }: ReplicaRole, search: string): boolean {
  if (spec === undefined) return false;
  return spec.hostname !== undefined || spec.subdomain !== undefined || !hasRoomFor(spec, search);
}

/** A job's Service spans roles. A replica's Service has the role's label. */
export function isJobService(service: Service): boolean {
  return service.metadata?.labels?.[LABELS.replicaType] === undefined;
}
