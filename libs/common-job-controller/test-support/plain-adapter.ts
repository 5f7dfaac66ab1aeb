/** The least that can be a framework: one role, Worker, which succeeds when all of it has. For tests of the engine itself. */
import type { Resource } from '@muster/job-api';
import type { FrameworkAdapter, JobManifest } from '../src/adapter.ts';
import { failedRole } from '../src/outcome.ts';

const PLAIN_JOBS: Resource<JobManifest> = {
  group: 'test.muster.dev',
  version: 'v1',
  kind: 'PlainJob',
  plural: 'plainjobs',
  namespaced: true,
};

export interface PlainOptions {
  readonly workers: number;
}

export function plainAdapter({ workers }: PlainOptions): FrameworkAdapter {
  const template = { spec: { containers: [{ name: 'main', image: 'registry.example/main:1' }] } };
  return {
    resource: PLAIN_JOBS,
    framework: 'plain',
    operatorName: 'plainjob-controller',
    containerName: 'main',
    port: { name: 'plain-port', number: 1234 },
    managers: [],
    installHint: 'nothing: this kind exists in tests only',
    writesSelector: false,
    problems: () => [],
    read: ({ spec }) => ({
      roles: [{ name: 'Worker', replicas: workers, template, restartPolicy: 'ExitCode', endsByItself: true }],
      runPolicy: { suspend: false, ...spec?.runPolicy },
      options: {},
    }),
    isMaster: () => false,
    addressed: () => undefined,
    pod: () => ({}),
    outcome(_job, tallies) {
      const [worker] = tallies;
      if (worker !== undefined && worker.succeeded === worker.role.replicas)
        return { phase: 'Succeeded', message: 'done' };
      if (failedRole(tallies) !== undefined) return { phase: 'Failed', message: 'failed.' };
      return worker !== undefined && worker.running > 0 ? { phase: 'Running', message: 'runs' } : { phase: 'Pending' };
    },
  };
}
