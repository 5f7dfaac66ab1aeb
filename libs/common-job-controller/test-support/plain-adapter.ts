/** The first role decides: the job has succeeded when all its replicas have, and runs when some run. */
import { PROGRESS_PORT, type Resource, type RestartPolicy } from '@muster/job-api';
import type { FrameworkAdapter, Problem } from '../src/contract/adapter.ts';
import type { JobManifest, RestartScope } from '../src/model/training-job.ts';
import { trainingOperatorLabels } from '../src/contract/labels.ts';
import { failedRole } from '../src/status/outcome.ts';

export const PLAIN_JOBS: Resource<JobManifest> = {
  group: 'test.muster.dev',
  version: 'v1',
  kind: 'PlainJob',
  plural: 'plainjobs',
  namespaced: true,
};

export interface PlainRole {
  readonly name: string;
  readonly replicas: number;
  readonly restartPolicy?: RestartPolicy;
  readonly endsByItself?: boolean;
  readonly cannotRejoin?: string;
  readonly port?: number;
  readonly podsPerReplica?: number;
  readonly scaleDownFirst?: readonly string[];
}

export interface PlainOptions {
  /** Replicas of a single role, Worker. */
  readonly workers?: number;
  readonly roles?: readonly PlainRole[];
  readonly progressPort?: number;
  readonly resources?: { readonly limits: Readonly<Record<string, string>> };
  readonly problems?: readonly Problem[];
  readonly writesSelector?: boolean;
  /** By role; `*` applies to all others. Default: the restart policy decides. */
  readonly scopes?: Readonly<Record<string, RestartScope>>;
}

function templateOf({ progressPort, resources }: PlainOptions) {
  const ports = progressPort === undefined ? {} : { ports: [{ name: PROGRESS_PORT, containerPort: progressPort }] };
  return {
    spec: {
      containers: [{ name: 'main', image: 'registry.example/main:1', ...ports, ...(resources && { resources }) }],
    },
  };
}

export function plainAdapter({
  workers = 1,
  roles = [{ name: 'Worker', replicas: workers }],
  progressPort,
  resources,
  problems = [],
  writesSelector = false,
  scopes,
}: PlainOptions): FrameworkAdapter {
  const defaults = {
    template: templateOf({ ...(progressPort !== undefined && { progressPort }), ...(resources && { resources }) }),
    restartPolicy: 'ExitCode',
    endsByItself: true,
    containerName: 'main',
  } as const;
  return {
    resource: PLAIN_JOBS,
    framework: 'plain',
    madeWith: { workers, roles, progressPort, resources, problems, writesSelector, scopes },
    labels: trainingOperatorLabels('plainjob-controller', () => false),
    lifecycle: { managers: ['test.muster.dev/plain'] },
    installHint: 'nothing: this kind exists in tests only',
    status: { hasSelectors: writesSelector },
    network: { addressed: () => undefined },
    problems: () => problems,
    read: () => ({ roles: roles.map((role) => ({ ...defaults, ...role })), options: {} }),
    pod: () => ({}),
    ...(scopes && { failures: { scopeOf: (_job, { role }) => scopes[role.name] ?? scopes['*'] } }),
    outcome(_job, tallies) {
      const [deciding] = tallies;
      if (deciding !== undefined && deciding.succeeded === deciding.role.replicas)
        return { phase: 'Succeeded', message: 'done' };
      if (failedRole(tallies) !== undefined) return { phase: 'Failed', message: 'failed.' };
      return deciding !== undefined && deciding.running > 0
        ? { phase: 'Running', message: 'runs' }
        : { phase: 'Pending' };
    },
  };
}
