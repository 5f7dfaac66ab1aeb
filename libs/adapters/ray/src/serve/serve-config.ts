/** `spec.serveConfigV2`: Ray Serve's config file for several applications. Ray validates it further. */
import { parseYaml, withoutBigInts } from '@muster/kubernetes-yaml';
import type { ServeApplication } from './serve-calls.ts';

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

const LONGEST_MESSAGE = 300;

/** Undefined if all applications run. Otherwise the first that does not, with a deployment and Ray's message, in one line. */
export function serveProblem(applications: Readonly<Record<string, ServeApplication>>): string | undefined {
  const found = Object.entries(applications).find(([, { status }]) => status !== 'RUNNING');
  if (found === undefined) return undefined;
  const [name, { status, message, deployments }] = found;
  const [deployment, cause] = Object.entries(deployments).find(([, each]) => each.status !== 'HEALTHY') ?? [];
  const parts = [
    `application ${name} is ${status}`,
    ...(cause === undefined ? [] : [`deployment ${deployment} is ${cause.status}`]),
    inOneLine(cause?.message || message),
  ];
  return parts.filter((part) => part !== '').join(': ');
}

/** The end of a text: in a Python traceback, the error. */
function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_MESSAGE ? `…${line.slice(-LONGEST_MESSAGE)}` : line;
}
