/**
 * The API that users see, from one source: TypeScript types, zod schemas, CRDs, defaults, validation rules and the
 * words of `kubectl explain`; and the names (labels, annotations, conditions, reasons) that scripts rely on.
 *
 * Everything here is pure and imports no other layer. Importing it builds the schemas and nothing more; CRDs are made
 * when asked for. zod is imported as a namespace (`import * as z`) throughout, which lets a bundler drop what is not
 * used of it: ten megabytes in the memory of an operator.
 */
export * from './annotations.ts';
export { replicasIn, roleIn, type ReplicaSpecs } from './any-case-roles.ts';
export * from './conditions.ts';
export { crdFor, openApiSchemaOf, type OpenApiSchema } from './crd.ts';
export * from './crd-yaml.ts';
export * from './horizontal-pod-autoscaler.ts';
export * from './job-annotations.ts';
export { replicaName } from './job-name.ts';
export * from './job-status.ts';
export * from './kind-definition.ts';
export * from './kubernetes.ts';
export * from './labels.ts';
export { MPI_GENERATIONS, type MPIGeneration } from './mpi-generation.ts';
export * from './mpi-job.ts';
export * from './mx-job.ts';
export * from './pod-group.ts';
export { CONTAINER } from './pod-template.ts';
export * from './problems-of.ts';
export { type PyTorchElasticPolicy } from './pytorch-elastic-policy.ts';
export * from './pytorch-job.ts';
export {
  addQuantities,
  formatQuantity,
  multiplyQuantity,
  NO_QUANTITY,
  parseQuantity,
  type Quantity,
} from './quantity.ts';
export * from './reasons.ts';
export { isReplicaLike } from './replica-like-name.ts';
export * from './replica-spec.ts';
export * from './resources.ts';
export * from './run-policy.ts';
export * from './tf-job.ts';
export * from './unknown-fields.ts';
