export { isLetThrough, requireLabel, type Requirement } from './conformance/admission-policy.ts';
export { describeConformance } from './conformance/conformance.ts';
export type {
  ConformanceFramework,
  ConformanceJob,
  JobShape,
  OperatorStart,
} from './conformance/conformance-framework.ts';
export { CONFORMANCE_TABLE } from './conformance/conformance-table.ts';
export { loneOperatorOptions, started } from './conformance/lone-operator.ts';
export { playedCases } from './conformance/played-cases.ts';
export { bindPod, endEvictedPod, evictPod } from './evict-pod.ts';
export type { ClientJob } from './clients/client-job.ts';
export { flytePhase } from './clients/flyte.ts';
export { katibOutcome } from './clients/katib.ts';
export { misread } from './clients/misread.ts';
export { describePythonSdk } from './clients/python-sdk.ts';
export { admissionWebhook } from './admission-webhook.ts';
export { TravelClock } from './conformance/travel-clock.ts';
export * from './eventually.ts';
export { missing, undeclared } from './exported-metrics.ts';
export * from '@muster/fault-injection';
export { describeGoldenObjects, manifestsIn, type ObjectsOfKind } from './golden-objects.ts';
export * from './install-crd.ts';
export * from './upstream-crd.ts';
export { podsOfRoles, specsOfRoles, type RolePhases } from './pods-of-roles.ts';
export { passRecordEnv } from './recorded-runs.ts';
export { startMetricsServer, type MetricsServer } from './metrics-server.ts';
export * from './test-cluster.ts';
export { trainingResult, trainingFixture, TRAINING_TIMEOUT_MS, type TrainingFixture } from './training-fixture.ts';
export { volcanoJobToBe, volcanoJobToComplete, volcanoPhaseToBe } from './volcano-job-to-complete.ts';
export { describeUpstreamForms } from './upstream-forms.ts';
