/**
 * A kind of job unlike Kubeflow's, for the parts of the contract that training jobs do not need: no run policy, its own
 * form of status, an image from a referenced object, progress probed over HTTP by a program that is notified when the
 * job runs, two pods per replica, and a final object that a deleted job leaves behind.
 */
import { STATUS_CODES } from 'node:http';
import type { JobStatus, KubeObject, Resource } from '@muster/job-api';
import type { FrameworkAdapter } from '../src/contract/adapter.ts';
import type { JobContext } from '../src/model/job-context.ts';
import { trainingOperatorLabels } from '../src/contract/labels.ts';
import type { JobManifest } from '../src/model/training-job.ts';
import { failedRole } from '../src/status/outcome.ts';

export interface CustomJob extends JobManifest {
  spec: {
    readonly runtime: string;
    readonly teams: number;
    readonly progressUrl: string;
    readonly paused?: boolean;
  };
  status?: {
    readonly phase: string;
    readonly percent?: number;
    readonly problem?: string;
    readonly record?: JobStatus;
  };
}

export interface CustomRuntime extends KubeObject {
  image?: string;
}

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const GROUP = 'test.muster.dev';
export const CUSTOM_JOBS: Resource<CustomJob> = {
  ...{ group: GROUP, version: 'v1', kind: 'CustomJob', plural: 'customjobs', namespaced: true },
};
export const CUSTOM_RUNTIMES: Resource<CustomRuntime> = {
  ...{ group: GROUP, version: 'v1', kind: 'CustomRuntime', plural: 'customruntimes', namespaced: true },
};
export const CONFIG_MAPS: Resource<ConfigMap> = {
  ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
};

export const FINALIZER = `${GROUP}/last-word`;

/** @param everyMs the period of the progress probe */
export function customAdapter(everyMs: number): FrameworkAdapter<CustomJob, { readonly progressUrl: string }> {
  return {
    resource: CUSTOM_JOBS,
    framework: 'custom',
    installHint: 'nothing: this kind exists in tests only',
    labels: trainingOperatorLabels('customjob-controller', () => false),
    lifecycle: { managers: [], runPolicy: ({ spec }) => ({ suspend: spec.paused ?? false }) },
    problems: ({ spec }) =>
      spec.teams > 0 ? [] : [{ path: 'spec.teams', message: `Invalid value: ${spec.teams}: has to be at least 1` }],
    read: ({ spec }, { references: [runtime] }) => ({
      roles: [
        {
          name: 'Member',
          replicas: 2 * spec.teams,
          podsPerReplica: 2,
          // Not scheduled: the test sets the pods' status.
          template: {
            spec: { schedulerName: 'no-scheduler', containers: [{ name: 'main', image: imageOf(runtime?.object) }] },
          },
          restartPolicy: 'Never',
          endsByItself: false,
          containerName: 'main',
        },
      ],
      options: { progressUrl: spec.progressUrl },
    }),
    pod: () => ({}),
    outcome(_job, tallies, context) {
      if (failedRole(tallies) !== undefined) return { phase: 'Failed', message: 'A member has failed.' };
      if (percentOf(context) === 100) return { phase: 'Succeeded', message: 'The custom is done.' };
      return tallies.every(({ role, running }) => running === role.replicas)
        ? { phase: 'Running', message: 'The custom is at work.' }
        : { phase: 'Pending' };
    },
    references: {
      kinds: [{ resource: CUSTOM_RUNTIMES, trim: (runtime) => runtime }],
      of: ({ spec }) => [{ resource: CUSTOM_RUNTIMES, name: spec.runtime, isRequired: true, path: 'spec.runtime' }],
    },
    failures: { scopeOf: () => 'Job' },
    probes: {
      polled: ({ spec }) => [{ name: 'progress', url: spec.progressUrl, timeoutMs: 2000, everyMs }],
      calls: ({ options, status }, _replicas, { probeResults }) =>
        status.state === 'Running' && probeResults.get('begin')?.answer === undefined
          ? [{ name: 'begin', url: options.progressUrl, method: 'POST', body: 'begin', timeoutMs: 2000, everyMs }]
          : [],
    },
    status: {
      recordIn: 'record',
      encode: (record, { context }) => ({
        phase: phaseOf(record),
        ...has('percent', percentOf(context)),
        ...has('problem', problemOf(record, context)),
      }),
    },
    ownedResources: {
      kinds: [{ resource: CONFIG_MAPS, endsWithRun: false, trim: (object) => object }],
      desired: () => [],
    },
    finalize: {
      name: FINALIZER,
      step: ({ metadata }, replicas, { ownedResources }) => ({
        isDone: replicas.length === 0 && ownedResources.some(({ object }) => isRead(object)),
        deletesPods: true,
        ownedResources: [
          {
            resource: CONFIG_MAPS,
            object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: metadata.name } },
            change: () => undefined,
          },
        ],
      }),
    },
  };
}

/** True once the test has acknowledged the final object. */
function isRead({ data }: ConfigMap): boolean {
  return data?.['read'] === 'yes';
}

function imageOf(runtime: CustomRuntime | undefined): string {
  return runtime?.image ?? '';
}

function has<T>(name: string, value: T | undefined): Record<string, T> {
  return value === undefined ? {} : { [name]: value };
}

function phaseOf({ state = 'Created' }: JobStatus): string {
  return { Created: 'Waiting', Running: 'Working', Succeeded: 'Done', Failed: 'Broken' }[state] ?? state;
}

function percentOf({ probeResults }: JobContext): number | undefined {
  const { percent } = Object(probeResults.get('progress')?.answer?.body) as { percent?: number };
  return percent;
}

function problemOf({ conditions = [] }: JobStatus, { probeResults }: JobContext): string | undefined {
  const lacks = conditions.find(({ type }) => type === 'ReplicaFailure')?.message;
  const { answer, problem } = probeResults.get('progress') ?? {};
  const refusal = answer === undefined || answer.status === 200 ? undefined : STATUS_CODES[answer.status];
  return lacks ?? problem ?? refusal;
}
