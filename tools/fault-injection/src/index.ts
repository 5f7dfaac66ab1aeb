/** Faults between clients and an API server, and reproducible random numbers for schedules of them. */
export * from './fault.ts';
export { type FaultProxy, faultProxy, type OtherServer } from './fault-proxy.ts';
export { SeededRandom } from './seeded-random.ts';
