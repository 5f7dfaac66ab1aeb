/** The command of a Ray container: `ray start`, after the user's command. */
import type { Container } from '@muster/job-api';
import { overwritesCommand } from '../model/cluster-annotations.ts';
import type { ClusterModel, RayGroup } from '../model/ray-cluster-model.ts';
import type { StartParams } from './ray-resources.ts';
import { startParams } from './start-params.ts';

/** Parameters of `ray start` with the values `true` and `false`; all others with these values are switches. */
const TAKE_A_BOOLEAN = new Set(['log-color', 'include-dashboard', 'include-log-monitor']);

/** The shell, which gets the commands as one argument. */
export const SHELL = ['/bin/bash', '-c', '--'];

/** The spaces are KubeRay's: users' tools compare this text. */
export function rayStartCommand(
  cluster: ClusterModel,
  group: RayGroup,
  container: Pick<Container, 'resources'>,
): string {
  const flags = renderedParams(startParams(cluster, group, container));
  return group.kind === 'head' ? `ray start --head ${flags}` : `ray start ${flags}`;
}

/**
 * Ray starts after a user's command, whatever its exit code. A command that starts Ray itself is kept, as is every
 * command with the annotation `ray.io/overwrite-container-cmd`.
 */
export function startedContainer(
  cluster: ClusterModel,
  group: RayGroup,
  container: Container,
): Pick<Container, 'command' | 'args'> {
  if (overwritesCommand(cluster, group)) return commandOf(container);
  return startedBehind(container, rayStartCommand(cluster, group, container));
}

/** A user's command runs before Ray, unless it starts Ray itself. */
export function startedBehind(container: Container, rayStart: string): Pick<Container, 'command' | 'args'> {
  const { command, args } = container;
  const users = [...(command ?? []), ...(args ?? [])].map((word) => ` ${word} `).join('');
  if (/ray\s+start/.test(users)) return commandOf(container);
  const start = `ulimit -n \${RAY_START_ULIMIT_OPEN_FILES:-65536}; ${rayStart}`;
  return { command: SHELL, args: [users === '' ? start : `${users} && ${start}`] };
}

function commandOf({ command, args }: Container): Pick<Container, 'command' | 'args'> {
  return { ...(command && { command }), ...(args && { args }) };
}

export function renderedParams(params: StartParams): string {
  return Object.keys(params)
    .sort()
    .map((name) => renderedParam(name, params[name] ?? ''))
    .join('');
}

function renderedParam(name: string, value: string): string {
  if (TAKE_A_BOOLEAN.has(name) || !/^(true|false)$/i.test(value)) return ` --${name}=${value} `;
  return value.toLowerCase() === 'true' ? ` --${name} ` : '';
}
