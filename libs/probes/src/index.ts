/** Requests to programs and Services, sent beside the reconcile runs. Planning reads the last response and its age. */
export type { Answer, Probe, ProbeResult, ProbeResults } from './probe.ts';
export { ProbePoller, type SendProbe } from './probe-poller.ts';
export { clusterProbe, type ServiceAccess } from './cluster-probe.ts';
