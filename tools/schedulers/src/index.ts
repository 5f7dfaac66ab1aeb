/**
 * Real schedulers, queues and operators of other projects, as processes of this machine beside a cluster. Missing programs are
 * built, which takes minutes.
 */
export { startCoscheduling } from './coscheduling.ts';
export { startKueue, type Kueue } from './kueue.ts';
export { kubectlOf, type RunningProgram } from './program.ts';
export { UPSTREAM_OPERATORS, UpstreamOperator, type UpstreamName } from './upstream-operator.ts';
export { startVolcano } from './volcano-scheduler.ts';
export { installVolcanoJobs, startVolcanoControllers } from './volcano-controllers.ts';
