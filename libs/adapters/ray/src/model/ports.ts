/** Ports of the processes of `ray start`. */
import { rayContainerOf, type ClusterModel, type RayGroup } from './ray-cluster-model.ts';

/** Ray's parameter and KubeRay's default of each port. */
export const PORTS = {
  gcs: { parameter: 'port', usual: 6379 },
  dashboard: { parameter: 'dashboard-port', usual: 8265 },
  client: { parameter: 'ray-client-server-port', usual: 10_001 },
  metrics: { parameter: 'metrics-export-port', usual: 8080 },
  agent: { parameter: 'dashboard-agent-listen-port', usual: 52_365 },
} as const;

/** The default for a number that no port has, which Ray reports or replaces by a free port. */
export function portOfGroup(group: RayGroup, port: keyof typeof PORTS): number {
  const { parameter, usual } = PORTS[port];
  const text = group.spec.rayStartParams?.[parameter] ?? '';
  return /^\d{1,5}$/.test(text) && isPort(Number(text)) ? Number(text) : usual;
}

function isPort(number: number): boolean {
  return number >= 1 && number <= 65_535;
}

/** The port of the GCS as in the manifest, which may be a variable of the shell. */
export function gcsPort({ spec }: ClusterModel): string {
  return spec.headGroupSpec.rayStartParams?.[PORTS.gcs.parameter] ?? String(PORTS.gcs.usual);
}

/** The usual port of a proxy of Ray Serve. */
export const SERVE_PORT = 8000;

/** Answers 200 while the proxy may get requests. */
export const SERVE_HEALTH_PATH = '/-/healthz';

/** The declared port named `serve`, or the usual one. */
export function servePortOf({ spec }: RayGroup): number {
  const declared = rayContainerOf(spec.template)?.ports ?? [];
  return declared.find(({ name }) => name === 'serve')?.containerPort ?? SERVE_PORT;
}
