/**
 * controller-runtime in miniature. Independent of jobs, frameworks and NestJS; stores nothing over a restart.
 *
 * An informer adds the key of a changed object to the `WorkQueue`. A worker of the `Controller` calls `reconcile(key)`,
 * which acts on the current state, not on the change. `LeaderElector` lets one replica act at a time, `EventRecorder`
 * writes Events in the background, `Lifecycle` starts and stops the parts, and `Clock` injects time for tests.
 */
export { systemClock, ManualClock, type Clock } from './clock.ts';
export { WorkQueue, type WorkQueueOptions } from './work-queue.ts';
export {
  Controller,
  type ControllerOptions,
  type Reconcile,
  type ReconcileContext,
  type ReconcileResult,
} from './controller.ts';
export { Semaphore } from './semaphore.ts';
export { TerminalError } from './terminal-error.ts';
export { sleep, settlesWithin } from './wait.ts';
export { LeaderElector, type LeaderElectionOptions } from './leader-election.ts';
export { LeaderTerms, type LeaderTermsOptions, type TermWork } from './leader-terms.ts';
export type { LeaseClient } from './lease-store.ts';
export { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
export type { Occurrence } from './event-correlator.ts';
export { objectReference, type ObjectReference } from './object-reference.ts';
export { Lifecycle, type Component, type LifecycleOptions } from './lifecycle.ts';
