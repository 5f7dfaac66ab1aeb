/** `spec.serveConfigV2`: Ray Serve's config file for several applications. Ray validates it further. */
import { parseYaml, withoutBigInts } from '@muster/kubernetes-yaml';
import type { ServeApplication, ServeDeployment } from './serve-calls.ts';
import { serveMessage } from './serve-message.ts';

export type ServeConfig = Readonly<Record<string, unknown>>;

export interface ParsedServeConfig {
  readonly config?: ServeConfig;
  /** What is wrong and what to do. */
  readonly problem?: string;
}

export function parseServeConfig(text: string): ParsedServeConfig {
  let config: unknown;
  try {
    config = withoutBigInts(parseYaml(text).value);
  } catch (error) {
    return { problem: `must be YAML: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}` };
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config) || !('applications' in config)) {
    return { problem: 'must be a map in YAML with a list applications, the config of Ray Serve' };
  }
  if (!Array.isArray(config.applications)) return { problem: 'must have a list as applications' };
  return { config };
}

/** Replaces the user's value. */
export function withTargetCapacity(config: ServeConfig, percent: number): ServeConfig {
  return { ...config, target_capacity: percent };
}

/** `EveryNode`, `HeadOnly` or `Disabled`. Undefined: Ray's default. */
export function proxyLocation({ proxy_location, http_options }: ServeConfig): string | undefined {
  const { location } = Object(http_options) as { location?: unknown };
  const value = proxy_location ?? location;
  return typeof value === 'string' ? value : undefined;
}

/**
 * Undefined if all applications run. Otherwise one that does not, with a deployment and Ray's message, in one line. A
 * failed one comes before one that only takes time.
 */
export function serveProblem(applications: Readonly<Record<string, ServeApplication>>): string | undefined {
  const waiting = Object.entries(applications).filter(([, { status }]) => status !== 'RUNNING');
  const found = waiting.find(([, { status }]) => isFailure(status)) ?? waiting[0];
  if (found === undefined) return undefined;
  const [name, { status, message, deployments }] = found;
  const unready = Object.entries(deployments).filter(([, each]) => each.status !== 'HEALTHY');
  const [deployment, cause] =
    unready.find(([, each]) => isFailure(each.status)) ??
    unready.find(([, each]) => each.message !== '') ??
    unready[0] ??
    [];
  const parts = [
    `application ${name} is ${status}`,
    ...(cause === undefined ? [] : [`deployment ${deployment} is ${cause.status}${replicasOf(cause)}`]),
    serveMessage(cause?.message || message),
  ];
  return parts.filter((part) => part !== '').join(': ');
}

function isFailure(status: string): boolean {
  return status === 'DEPLOY_FAILED' || status === 'UNHEALTHY';
}

function replicasOf({ replicas }: ServeDeployment): string {
  if (replicas === undefined) return '';
  const { running, wanted, states } = replicas;
  const others = states.length === 0 ? '' : `, others ${states.join(', ')}`;
  return ` (${running} of ${wanted} replicas run${others})`;
}
