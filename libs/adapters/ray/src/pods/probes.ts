/**
 * Probes with Ray's own health checks and KubeRay's times. Ray 2.53 and later have one check for the whole node;
 * before, the raylet is checked and, on the head, the GCS. Those checks use only bash: many images have no wget.
 */
import { isFromRayVersion, type Container, type Probe } from '@muster/job-api';
import { portOfGroup, SERVE_HEALTH_PATH, servePortOf } from '../model/ports.ts';
import type { ClusterModel, RayGroup } from '../model/ray-cluster-model.ts';
import { hasServeProxy, isOfService } from '../model/ray-labels.ts';

/** The first release of Ray 2 with `/api/healthz`. */
const ONE_HEALTH_CHECK = 53;

const LIVENESS = { initialDelaySeconds: 30, periodSeconds: 5, successThreshold: 1, failureThreshold: 120 };
const READINESS = { initialDelaySeconds: 10, periodSeconds: 5, successThreshold: 1, failureThreshold: 10 };

/** Keeps the user's own probes. */
export function withProbes(cluster: ClusterModel, group: RayGroup, container: Container): Container {
  const check: Probe = {
    ...healthCheck(cluster, group),
    timeoutSeconds: group.kind === 'head' ? 5 : 2,
  };
  const readiness = servesRequests(cluster, group) ? serveReadiness(group) : { ...check, ...READINESS };
  return { livenessProbe: { ...check, ...LIVENESS }, readinessProbe: readiness, ...container };
}

function servesRequests(cluster: ClusterModel, { kind }: RayGroup): boolean {
  return kind === 'worker' && isOfService(cluster) && hasServeProxy(cluster);
}

/** A worker without a replica of Ray Serve has no proxy, and must get no requests. */
function serveReadiness(group: RayGroup): Probe {
  return {
    httpGet: { path: SERVE_HEALTH_PATH, port: servePortOf(group) },
    ...{ initialDelaySeconds: 10, periodSeconds: 5, timeoutSeconds: 2, successThreshold: 1, failureThreshold: 1 },
  };
}

function healthCheck(cluster: ClusterModel, group: RayGroup): Probe {
  const agent = portOfGroup(group, 'agent');
  if (isFromRayVersion(cluster.spec, ONE_HEALTH_CHECK)) {
    return { httpGet: { path: '/api/healthz', port: agent } };
  }
  const raylet = healthCheckCommand(agent, 'api/local_raylet_healthz');
  const hasDashboard = group.spec.rayStartParams?.['include-dashboard']?.toLowerCase() !== 'false';
  const gcs = healthCheckCommand(portOfGroup(group, 'dashboard'), 'api/gcs_healthz');
  const checks = group.kind === 'head' && hasDashboard ? [raylet, gcs] : [raylet];
  return { exec: { command: ['bash', '-c', [ASK, ...checks].join('\n')] } };
}

/** Succeeds if the answer to `GET /<path>` contains `success`. */
const ASK = `ask() {
  exec 3<>"/dev/tcp/localhost/$1" || exit 1
  printf 'GET /%s HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' "$2" >&3
  IFS= read -r -d '' answer <&3
  exec 3>&-
  [[ $answer == *success* ]] || exit 1
}`;

function healthCheckCommand(port: number, path: string): string {
  return `ask ${port} ${path}`;
}
