/**
 * The harness of all tests that need a real API server: how to get one, how to wait for it, and how to make the
 * network between it and the code under test misbehave. For tests only.
 */
export { describeConformance } from './conformance/conformance.ts';
export type { ConformanceFramework, ConformanceJob, JobShape } from './conformance/conformance-framework.ts';
export * from './eventually.ts';
export * from './fault.ts';
export { type FaultProxy, faultProxy } from './fault-proxy.ts';
export * from './install-crd.ts';
export * from './test-cluster.ts';
