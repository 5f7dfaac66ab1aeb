/**
 * controller-runtime in miniature: what every operator needs between "an object changed" and "the world is right".
 *
 * The way of a change: an informer sees it and adds the key of the job that it concerns to the `WorkQueue`. A worker of
 * the `Controller` takes the key and calls `reconcile(key)`, which looks at the whole job and does what is missing. If
 * that throws, the key comes back after a back-off; if it names a time, after that time; otherwise the key rests until
 * the next change.
 *
 * In plain words, the queue is a list of names to look at with three rules. A name is on the list at most once, however
 * often it is called. While somebody looks at a name nobody else does; if it is called meanwhile it goes back on the
 * list afterwards, so no change is missed. And the list is served in order, so a name that is called all the time
 * waits like all others. Why only names: by the time of looking, what happened is old; what counts is what is there.
 *
 * Around that loop: `LeaderElector` sees to it that one replica acts at a time, `EventRecorder` tells users what
 * happened without ever slowing a reconcile, `Lifecycle` starts and stops the parts in order, `Clock` hands in time so
 * that tests need not sleep.
 *
 * What it is not: it knows no job, no framework and no NestJS, and it keeps nothing over a restart.
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
export { TerminalError } from './terminal-error.ts';
export { sleep, settlesWithin } from './wait.ts';
export { LeaderElector, type LeaderElectionOptions } from './leader-election.ts';
export { LeaderTerms, type LeaderTermsOptions, type TermWork } from './leader-terms.ts';
export type { LeaseClient } from './lease-store.ts';
export { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
export type { Occurrence } from './event-correlator.ts';
export { objectReference, type ObjectReference } from './object-reference.ts';
export { Lifecycle, type Component, type LifecycleOptions } from './lifecycle.ts';
