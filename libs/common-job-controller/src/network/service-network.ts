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

export interface ServiceNetworkQuestion {
  readonly job: Pick<TrainingJob, 'metadata' | 'roles'>;
  /** The Services that the job controls, or is about to adopt. */
  readonly services: readonly Service[];
  /** The pods that the job controls. */
  readonly pods: readonly Pod[];
  /** Names of Services that others hold. */
  readonly takenServices: Pick<ReadonlySet<string>, 'has'>;
  /** The pod names of replicas that get a Service in either mode. */
  readonly addressed: ReadonlySet<string>;
  readonly defaultMode: ServiceMode;
  readonly clusterDomain: string;
}

export function serviceNetwork(question: ServiceNetworkQuestion): ServiceNetwork {
  const { job, services, pods, takenServices } = question;
  const { name, uid } = job.metadata;
  const ownName = `${name.slice(0, 54)}-${uid.slice(0, 8)}`;
  // Pods know the Service by the name that they were made with, also if it has been deleted since.
  const known = pods
    .map(({ spec }) => spec?.subdomain)
    .find((subdomain) => subdomain === name || subdomain === ownName);
  const existing = services.find(isJobService)?.metadata?.name ?? known;
  if (existing !== undefined) return { mode: 'PerJob', jobService: existing };

  // Another owner's Service of the job's name would lead our pods astray, and ours those of another job where the name could
  // be one of its pods'. So ours takes a name that only it can have.
  const jobService = takenServices.has(name) || isReplicaLike(name) ? ownName : name;
  return { mode: newMode(question, jobService), jobService };
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
