/** Ports of the processes of `ray start`. */
import type { ClusterModel, RayGroup } from './ray-cluster-model.ts';

/** Ray's parameter and KubeRay's default of each port. */
export const PORTS = {
  gcs: { parameter: 'port', usual: 6379 },
  dashboard: { parameter: 'dashboard-port', usual: 8265 },
  client: { parameter: 'ray-client-server-port', usual: 10_001 },
  metrics: { parameter: 'metrics-export-port', usual: 8080 },
  agent: { parameter: 'dashboard-agent-listen-port', usual: 52_365 },
} as const;

/** The default for an invalid number, which Ray reports. */
export function portOfGroup(group: RayGroup, port: keyof typeof PORTS): number {
  const { parameter, usual } = PORTS[port];
  const text = group.spec.rayStartParams?.[parameter] ?? '';
  return /^\d{1,5}$/.test(text) ? Number(text) : usual;
}

/** The port of the GCS as in the manifest, which may be a variable of the shell. */
export function gcsPort({ spec }: ClusterModel): string {
  return spec.headGroupSpec.rayStartParams?.[PORTS.gcs.parameter] ?? String(PORTS.gcs.usual);
}
