/**
 * The public API from one source: TypeScript types, zod schemas, CRDs, defaults, validation rules and descriptions for
 * `kubectl explain`; and the names (labels, annotations, conditions, reasons) that scripts rely on.
 *
 * Everything here is pure and imports no other layer. Importing it only builds the schemas; CRDs are generated on
 * demand. zod is imported as a namespace (`import * as z`), so that a bundler drops its unused parts: that saves an
 * operator ten megabytes of memory.
 */
export * from './annotations.ts';
export { replicasIn, roleIn, type ReplicaSpecs } from './any-case-roles.ts';
export * from './conditions.ts';
export { crdFor, openApiSchemaOf, type OpenApiSchema } from './crd.ts';
export * from './crd-yaml.ts';
export * from './failure-class.ts';
export type { StartOrder } from './start-order.ts';
export { FAILURE_ACTIONS, type FailureAction, type FailurePolicy, type FailurePolicyRule } from './failure-policy.ts';
export * from './horizontal-pod-autoscaler.ts';
export * from './job-annotations.ts';
export { replicaName } from './job-name.ts';
export { jobFailureSchema, type JobFailure } from './job-failure.ts';
export * from './job-progress.ts';
export * from './job-status.ts';
export * from './kind-definition.ts';
export * from './kubernetes.ts';
export * from './labels.ts';
export * from './moment-of.ts';
export { MPI_GENERATIONS, mpiGenerationOf, type MPIGeneration } from './mpi-generation.ts';
export * from './mpi-job.ts';
export * from './mpi-roles.ts';
export * from './mx-job.ts';
export * from './mx-roles.ts';
export { nearestName } from './nearest-name.ts';
export * from './pod-group.ts';
export * from './pod-status.ts';
export { CONTAINER } from './pod-template.ts';
export { podTemplatesOf } from './pod-templates-of.ts';
export * from './problems-of.ts';
export { type ValidatedKind } from './schema-steps.ts';
export { type PyTorchElasticPolicy } from './pytorch-elastic-policy.ts';
export * from './pytorch-job.ts';
export * from './pytorch-roles.ts';
export {
  addQuantities,
  formatQuantity,
  multiplyQuantity,
  NO_QUANTITY,
  parseQuantity,
  type Quantity,
} from './quantity.ts';
export * from './ray-cluster.ts';
export { type RayAuthOptions } from './ray-cluster-auth.ts';
export { RAY_AUTOSCALER_VERSIONS, type RayAutoscalerOptions } from './ray-cluster-autoscaler.ts';
export {
  RAY_GCS_BACKENDS,
  type RayGcsBackend,
  type RayGcsFaultToleranceOptions,
  type RayGcsStorage,
  type RayRedisCredential,
} from './ray-cluster-fault-tolerance.ts';
export {
  RAY_HEAD_GROUP,
  type RayHeadGroupSpec,
  type RayIngressOptions,
  type RayWorkerGroupSpec,
} from './ray-cluster-groups.ts';
export { type RayNetworkPolicyRules, type RayNetworkPolicySpec } from './ray-cluster-network-policy.ts';
export { type RayClusterSpec } from './ray-cluster-spec.ts';
export { type RayClusterStatus, type RayCondition } from './ray-cluster-status.ts';
export * from './ray-cron-job.ts';
export { CRON_MONTHS, CRON_WEEKDAYS, cronInterval } from './ray-cron-schedule.ts';
export * from './ray-job.ts';
export * from './ray-service.ts';
export { isFromRayVersion } from './ray-version.ts';
export {
  RAY_DELETION_POLICIES,
  type RayDeletionPolicy,
  type RayDeletionRule,
  type RayDeletionStrategy,
} from './ray-job-deletion.ts';
export { RAY_SUBMISSION_MODES, type RayJobSpec, type RaySubmissionMode } from './ray-job-spec.ts';
export { hasOwnSubmitCommand, RAY_CLUSTER_LABEL } from './ray-job-rules.ts';
export { type RayJobStatus } from './ray-job-status.ts';
export { MANAGED_BY_KUBERAY } from './ray-managed-by.ts';
export * from './reasons.ts';
export * from './time-accounts.ts';
export { canBePodName } from './replica-like-name.ts';
export * from './replica-spec.ts';
export * from './resources.ts';
export * from './run-policy.ts';
export * from './tf-job.ts';
export * from './tf-roles.ts';
export * from './xgboost-job.ts';
export * from './jax-job.ts';
export * from './paddle-job.ts';
export { type PaddleElasticPolicy } from './paddle-elastic-policy.ts';
export * from './unknown-fields.ts';
export { VOLCANO_COMMAND_CRD, VOLCANO_COMMANDS, type VolcanoCommand } from './volcano-command.ts';
export { eventsOf, type VolcanoAction, type VolcanoEvent, type VolcanoPolicy } from './volcano-policy.ts';
export { VOLCANO_JOBS, volcanoJobDefinition, type VolcanoJob, type VolcanoTaskSpec } from './volcano-job.ts';
