/**
 * Requests of a RayService: the state of Ray Serve and the health of the heads' proxies, which are polled, and the
 * submission of the config. The name of each contains what it refers to, so that an answer is never about an earlier head
 * or from before the last submission.
 */
import { createHash } from 'node:crypto';
import type { Probe } from '@muster/common-job-controller';
import { AUTH_TOKEN_KEY, tokenSecretName } from '../access/token-auth.ts';
import { clusterModel } from '../cluster/ray-settings.ts';
import type { DashboardCall } from '../job/dashboard.ts';
import { SERVE_HEALTH_PATH, servePortOf } from '../model/ports.ts';
import { headGroup } from '../model/ray-cluster-model.ts';
import { applicationsCall, deployCall } from '../serve/serve-calls.ts';
import type { Head, ObservedCluster, ObservedService } from './observed-service.ts';
import type { SideRecord } from './service-record.ts';

const EVERY_MS = 2000;
const TIMEOUT_MS = 5000;
/** The first submission starts Ray Serve. */
const SUBMISSION_TIMEOUT_MS = 30_000;
const LONGEST_PAUSE_MS = 30_000;
const USUAL_PORT = 8265;

export interface Submission {
  readonly text: string;
  readonly config: object;
  readonly targetCapacity?: number | undefined;
  /** From 1, for each cluster. */
  readonly number: number;
}

export function applicationsName({ name }: ObservedCluster, head: Head, submissions: number): string {
  return `applications of ${name}, head ${head.identity}, submission ${submissions}`;
}

export function submissionName({ name }: ObservedCluster, { text, targetCapacity, number }: Submission): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `submission ${number} to ${name}: ${digest}${targetCapacity === undefined ? '' : ` at ${targetCapacity} %`}`;
}

export function healthName(head: Head): string {
  return `proxy of ${head.identity}`;
}

/** @param sides the records of the clusters in use, as stored or as known now */
export function polledProbes(observed: ObservedService, sides: readonly SideRecord[]): Probe[] {
  return sides.flatMap((side) => {
    const cluster = observed.clusters.find(({ name }) => name === side.name);
    if (cluster === undefined || cluster.isBeingDeleted) return [];
    return [...applicationsProbe(observed, cluster, side), ...healthProbe(observed, cluster)];
  });
}

function applicationsProbe(observed: ObservedService, cluster: ObservedCluster, side: SideRecord): Probe[] {
  const { head, isHeadReady } = cluster;
  const { number = 0 } = side.submitted ?? {};
  if (head === undefined || !isHeadReady || number === 0) return [];
  const name = applicationsName(cluster, head, number);
  return asProbes(observed, cluster, applicationsCall(), { name, timeoutMs: TIMEOUT_MS, everyMs: EVERY_MS });
}

/** The proxy of a head decides whether the head gets requests. Kubernetes' probes would take away its other ports. */
function healthProbe({ spec, namespace }: ObservedService, { head, object }: ObservedCluster): Probe[] {
  const { podIP = '', phase } = head?.pod.status ?? {};
  if (head === undefined || podIP === '' || phase !== 'Running' || spec.excludeHeadPodFromServeSvc === true) return [];
  const port = servePortOf(headGroup(clusterModel(object, { clusterDomain: '' })));
  const pod = head.pod.metadata?.name ?? '';
  const url = { namespace, pod, address: podIP, port, path: SERVE_HEALTH_PATH };
  return [{ name: healthName(head), url, timeoutMs: EVERY_MS, everyMs: EVERY_MS }];
}

/** Undefined if the cluster has no address. Unanswered submissions are repeated at growing intervals. */
export function submissionProbe(
  observed: ObservedService,
  cluster: ObservedCluster,
  submission: Submission,
): Probe | undefined {
  const name = submissionName(cluster, submission);
  const { failures = 0, answer } = observed.probeResults.get(name) ?? {};
  const everyMs = answer === undefined ? Math.min(LONGEST_PAUSE_MS, EVERY_MS * 2 ** Math.min(failures, 10)) : 5000;
  const call = deployCall(submission.config);
  const how = { name, timeoutMs: SUBMISSION_TIMEOUT_MS, everyMs, isSlow: true };
  return asProbes(observed, cluster, call, how)[0];
}

function asProbes(
  { namespace, clusterDomain }: ObservedService,
  { object }: ObservedCluster,
  { path, ...call }: DashboardCall,
  how: Pick<Probe, 'name' | 'timeoutMs' | 'everyMs' | 'isSlow'>,
): Probe[] {
  const { head, endpoints } = object.status ?? {};
  if (head?.serviceName === undefined || head.serviceName === '') return [];
  const secret = tokenSecretName(clusterModel(object, { clusterDomain }));
  return [
    {
      ...call,
      ...how,
      url: { namespace, service: head.serviceName, port: Number(endpoints?.['dashboard'] ?? USUAL_PORT), path },
      // The API server does not pass on `Authorization`.
      ...(secret !== undefined && { token: { header: 'x-ray-authorization', namespace, secret, key: AUTH_TOKEN_KEY } }),
    },
  ];
}
