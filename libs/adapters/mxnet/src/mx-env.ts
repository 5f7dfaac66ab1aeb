/**
 * The environment of MXNet pods (kubeflow/training-operator v1.8, pkg/controller.v1/mxnet/mxnet.go): ps-lite, MXNet's
 * parameter server, reads `DMLC_*`; `MX_CONFIG` describes the whole job, for programs such as TVM's tuners.
 */
import { portOf, type Replica, type ReplicaRole } from '@muster/common-job-controller';
import { replicaName, type EnvVar } from '@muster/job-api';
import { MX_MAIN } from './mx-main.ts';
import type { MXTrainingJob } from './mx-options.ts';

/** An annotation of a role's pod template, which `MX_CONFIG` passes to all tasks. */
const LABEL_ANNOTATION = 'tuner-server-key';

export function mxEnv(job: MXTrainingJob, { role, index }: Replica): EnvVar[] {
  const scheduler = job.roles.find(({ name, replicas }) => name === 'Scheduler' && replicas > 0);
  return [
    { name: 'MX_CONFIG', value: mxConfig(job, { role, index }) },
    ...psVariables({
      scheduler:
        scheduler === undefined
          ? { address: '', port: 0 }
          : { address: replicaName(job.metadata.name, 'Scheduler', 0), port: portOf(scheduler, MX_MAIN) },
      servers: replicasOf(job, 'Server'),
      workers: replicasOf(job, 'Worker'),
      role: role.name.toLowerCase(),
      index,
    }),
  ];
}

/** The parameter server's cluster, and the replica's role in it. */
export interface PSWorld {
  readonly scheduler: { readonly address: string; readonly port: number };
  readonly servers: number;
  readonly workers: number;
  /** `scheduler`, `server` or `worker`, as in ps-lite. */
  readonly role: string;
  readonly index: number;
}

export function psVariables({ scheduler, servers, workers, role, index }: PSWorld): EnvVar[] {
  return [
    { name: 'DMLC_PS_ROOT_PORT', value: String(scheduler.port) },
    { name: 'DMLC_PS_ROOT_URI', value: scheduler.address },
    { name: 'DMLC_NUM_SERVER', value: String(servers) },
    { name: 'DMLC_NUM_WORKER', value: String(workers) },
    { name: 'DMLC_ROLE', value: role },
    { name: 'DMLC_USE_KUBERNETES', value: '1' },
    // Read by BytePS.
    ...(role === 'worker' ? [{ name: 'DMLC_WORKER_ID', value: String(index) }] : []),
  ];
}

function mxConfig(job: MXTrainingJob, { role, index }: Replica): string {
  const task = { type: role.name.toLowerCase(), index };
  return `${jobText(job).slice(0, -1)},"task":${JSON.stringify(task)}}`;
}

/** Cached, because building it for each of thousands of pods would take seconds. */
const jobTexts = new WeakMap<MXTrainingJob, string>();

function jobText(job: MXTrainingJob): string {
  const text = jobTexts.get(job) ?? goJson(describeJob(job));
  jobTexts.set(job, text);
  return text;
}

function describeJob({ metadata, roles }: MXTrainingJob) {
  const byRole = <T>(of: (role: ReplicaRole) => T) =>
    Object.fromEntries(
      roles.map((each) => [each.name.toLowerCase(), of(each)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return {
    cluster: byRole((each) =>
      Array.from({ length: each.replicas }, (_replica, at) => ({
        url: replicaName(metadata.name, each.name, at),
        port: portOf(each, MX_MAIN),
      })),
    ),
    labels: byRole(({ template }) => template.metadata?.annotations?.[LABEL_ANNOTATION] ?? ''),
  };
}

/** Go's JSON escapes a few characters for browsers. */
function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function replicasOf({ roles }: MXTrainingJob, name: string): number {
  return roles.find((role) => role.name === name)?.replicas ?? 0;
}
