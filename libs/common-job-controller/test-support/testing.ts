/** Set-up that the tests of other packages share. */
export { PLAIN_JOBS, plainAdapter, type PlainOptions } from './plain-adapter.ts';
export { at, JOB, NOW, plainPod, type PlainPod } from './plain-pod.ts';
export { plainService, SETTINGS, worldOf, type PlainWorld } from './plain-world.ts';
export * from './planned.ts';
export { stillKind } from './still-caches.ts';
export { SeededRandom } from '@muster/fault-injection';
