/**
 * Real schedulers and queues of other projects, as processes of this machine beside a cluster with simulated nodes. Missing programs are
 * built, which takes minutes.
 */
export { startCoscheduling } from './coscheduling.ts';
export { startKueue, type Kueue } from './kueue.ts';
export type { RunningProgram } from './program.ts';
export { startVolcano } from './volcano-scheduler.ts';
export { installVolcanoJobs, startVolcanoControllers } from './volcano-controllers.ts';
