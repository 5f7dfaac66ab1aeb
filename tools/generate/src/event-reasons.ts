/**
 * The reasons of events that can occur for a kind of job: all but those whose cause the kind cannot have. A cause is a field of the kind's
 * schema, a part of its adapter, or the kind itself.
 */
import type { FrameworkAdapter } from '@muster/common-job-controller';
import {
  EVENT_REASONS,
  openApiSchemaOf,
  type EventReason,
  type KindDefinition,
  type OpenApiSchema,
} from '@muster/job-api';

interface JobKind {
  readonly kind: string;
  readonly adapter: FrameworkAdapter;
  /** Names of all fields of its schema. */
  readonly fields: ReadonlySet<string>;
}

type Cause = (of: JobKind) => boolean;

const field =
  (name: string): Cause =>
  ({ fields }) =>
    fields.has(name);

const ofKinds =
  (...kinds: readonly string[]): Cause =>
  ({ kind }) =>
    kinds.includes(kind);

/**
 * A RayJob's pods belong to its RayCluster and its submitter Job, which emit the events about them. A RayCronJob creates
 * only RayJobs, a RayService only RayClusters and Services.
 */
const ownPods: Cause = ({ kind }) => !['RayJob', 'RayCronJob', 'RayService'].includes(kind);
const commands: Cause = ({ adapter }) => adapter.commands !== undefined;
const indispensablePods: Cause = ({ adapter }) =>
  adapter.network !== undefined || adapter.scheduling?.isIndispensable !== undefined;
const replicasThatCannotRejoin = ofKinds('PyTorchJob', 'MXJob');
const rayJob = ofKinds('RayJob');
const rayCronJob = ofKinds('RayCronJob');
const rayService = ofKinds('RayService');

/** Reasons without an entry can occur for every kind. */
const CAUSES: Partial<Record<EventReason, Cause>> = {
  SuccessfulCreatePod: ownPods,
  FailedCreatePod: ownPods,
  SuccessfulDeletePod: ownPods,
  FailedDeletePod: ownPods,
  FailedUpdatePod: ownPods,
  AdoptedPod: ownPods,
  ReleasedPod: ownPods,
  SuccessfulCreateService: ownPods,
  FailedCreateService: ownPods,
  SuccessfulDeleteService: ownPods,
  FailedDeleteService: ownPods,
  FailedUpdateService: ownPods,
  AdoptedService: ownPods,
  WaitingForPodGroup: ownPods,
  Unschedulable: ownPods,
  ImagePullBackOff: ownPods,
  SetPodTemplateSchedulerName: ownPods,
  SchedulingPolicyNotMet: ownPods,
  WaitingForRole: field('startOrder'),
  CommandIssued: commands,
  CommandIgnored: commands,
  ManagedByOther: ({ adapter }) => adapter.lifecycle.otherController !== undefined,
  NotRestartedInPlace: field('inPlace'),
  RestartedWithoutRejoining: replicasThatCannotRejoin,
  ScaleDownPodKept: indispensablePods,
  ShrunkToCapacity: field('fitToCapacity'),
  RestoredToRequestedSize: field('fitToCapacity'),
  WorldSizeOutdated: ({ adapter }) => adapter.elastic?.whyFixed !== undefined,
  NoProgress: field('progressDeadlineSeconds'),
  ProgressUnknown: field('progressDeadlineSeconds'),
  ProgressNotReported: field('progressDeadlineSeconds'),
  ForcedDeletePod: field('lostNodeTimeoutSeconds'),
  LostNodeTimeoutIgnored: field('lostNodeTimeoutSeconds'),
  FailedDeleteJob: field('ttlSecondsAfterFinished'),
  SubmitterLost: rayJob,
  NoDeletionRuleMatched: rayJob,
  RayJobNotStopped: rayJob,
  MissedSchedule: rayCronJob,
  UpdatedServeApplications: rayService,
  UpdatedServeTargetCapacity: rayService,
  FailedToUpdateServeApplications: rayService,
  RayServiceInitializingTimeout: rayService,
  ReferenceNotFound: ({ adapter }) => adapter.references !== undefined,
};

/** With their descriptions, in the order of `EVENT_REASONS`. */
export function eventReasonsOf(
  definition: KindDefinition,
  adapter: FrameworkAdapter,
): Readonly<Record<string, string>> {
  const of = { kind: definition.resource.kind, adapter, fields: new Set(fieldsIn(openApiSchemaOf(definition))) };
  const reasons = Object.entries(EVENT_REASONS).filter(([reason]) => CAUSES[reason as EventReason]?.(of) ?? true);
  return Object.fromEntries(reasons);
}

/** Kinds of other objects that an operator creates for such a job, as their events name them. */
export function otherKindsOf({ workloads, ownedResources }: FrameworkAdapter): string[] {
  return [...(workloads?.kinds ?? []), ...(ownedResources?.kinds.map(({ resource }) => resource.kind) ?? [])];
}

function* fieldsIn({ properties = {}, items, additionalProperties }: OpenApiSchema): Generator<string> {
  for (const [name, property] of Object.entries(properties)) {
    yield name;
    yield* fieldsIn(property);
  }
  if (items !== undefined) yield* fieldsIn(items);
  if (additionalProperties !== undefined) yield* fieldsIn(additionalProperties);
}
