/**
 * How the pods of a job find one another: which Services there are, and what pods are told about them.
 *
 * - `PerJob` (the default): one headless Service for all pods. Each pod has `hostname` and `subdomain`, so that
 *   `<pod>.<service>.<namespace>.svc` resolves, and a DNS search entry, so that the bare pod name does, too. The replica
 *   that others address has a Service of its pod's name besides, as Kubeflow's manifests expect.
 * - `PerReplica`: Kubeflow's form. A headless Service of the pod's name for each replica.
 *
 * A job keeps the mode that it began with: changing it under running pods would take away the names they use.
 */
import {
  ANNOTATIONS,
  LABELS,
  SERVICE_MODES,
  isReplicaLike,
  type Pod,
  type Service,
  type ServiceMode,
} from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { hasRoomFor } from './dns-search.ts';

export interface ServiceNetwork {
  readonly mode: ServiceMode;
  /** The name of the job's own Service, in mode `PerJob`. */
  readonly jobService: string;
}

/** What the name of a job's own Service follows from. */
interface JobServiceQuestion {
  readonly job: Pick<TrainingJob, 'metadata'>;
  /** The Services that the job controls, or is about to adopt. */
  readonly services: readonly Service[];
  /** The pods that the job controls. */
  readonly pods: readonly Pod[];
  /** Names of Services that others hold. */
  readonly takenServices: Pick<ReadonlySet<string>, 'has'>;
}

export interface ServiceNetworkQuestion extends JobServiceQuestion {
  readonly job: Pick<TrainingJob, 'metadata' | 'roles'>;
  /** The pod names of replicas that get a Service in either mode. */
  readonly addressed: ReadonlySet<string>;
  readonly defaultMode: ServiceMode;
  readonly clusterDomain: string;
}

export function serviceNetwork(question: ServiceNetworkQuestion): ServiceNetwork {
  const existing = existingJobService(question);
  if (existing !== undefined) return { mode: 'PerJob', jobService: existing };
  const jobService = newJobService(question);
  return { mode: newMode(question, jobService), jobService };
}

/** The name of the job's own Service: it keeps the one that it began with. */
export function jobServiceName(question: JobServiceQuestion): string {
  return existingJobService(question) ?? newJobService(question);
}

function existingJobService({ job, services, pods }: JobServiceQuestion): string | undefined {
  // Pods know the Service by the name that they were made with, also if it has been deleted since.
  const known = pods
    .map(({ spec }) => spec?.subdomain)
    .find((subdomain) => subdomain === job.metadata.name || subdomain === ownNameOf(job));
  return services.find(isJobService)?.metadata?.name ?? known;
}

/**
 * Another owner's Service of the job's name would lead our pods astray, and ours those of another job where the name could be
 * one of its pods'. So ours takes a name then that only it can have.
 */
function newJobService({ job, takenServices }: JobServiceQuestion): string {
  const { name } = job.metadata;
  return takenServices.has(name) || isReplicaLike(name) ? ownNameOf(job) : name;
}

function ownNameOf({ metadata: { name, uid } }: Pick<TrainingJob, 'metadata'>): string {
  return `${name.slice(0, 54)}-${uid.slice(0, 8)}`;
}

function newMode(question: ServiceNetworkQuestion, jobService: string): ServiceMode {
  const { job, services, addressed, defaultMode, clusterDomain } = question;
  if (services.some(({ metadata }) => !addressed.has(metadata?.name ?? ''))) return 'PerReplica';
  const search = searchOf(job.metadata, jobService, clusterDomain);
  const needsOwnServices = job.roles.some((role) => hasOwnNames(role) || !hasRoomForSearch(role, search));
  return serviceModeAnnotation(job) ?? (needsOwnServices ? 'PerReplica' : defaultMode);
}

/** The DNS search entry with which the bare names of the Service's pods resolve. */
export function searchOf({ namespace }: TrainingJob['metadata'], jobService: string, clusterDomain: string): string {
  return `${jobService}.${namespace}.svc.${clusterDomain}`;
}

/** Without it bare names resolve only through Services of their own. */
function hasRoomForSearch({ template }: ReplicaRole, search: string): boolean {
  return template.spec === undefined || hasRoomFor(template.spec, search);
}

/** Pods that go by names of the user's own are not found by the job's Service. */
function hasOwnNames({ template }: ReplicaRole): boolean {
  return template.spec?.hostname !== undefined || template.spec?.subdomain !== undefined;
}

/** A job's Service spans roles; a replica's carries the role's label. */
export function isJobService(service: Service): boolean {
  return service.metadata?.labels?.[LABELS.replicaType] === undefined;
}

/** What the job asks for, if it asks for a mode that exists. */
function serviceModeAnnotation(job: Pick<TrainingJob, 'metadata'>): ServiceMode | undefined {
  const wanted = job.metadata.annotations?.[ANNOTATIONS.serviceMode];
  return SERVICE_MODES.find((mode) => mode === wanted);
}
