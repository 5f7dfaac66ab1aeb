/** The complete history of a namespace's jobs, pods and Services. */
import {
  LABELS,
  PODS,
  PYTORCH_JOBS,
  SERVICES,
  type Pod,
  type PyTorchJob,
  type Service,
  type JobStatus,
  type KubeObject,
} from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';
import { unbrokenWatch, type Seen } from '../unbroken-watch.ts';
import { holds } from './job-counts.ts';
import { conditionLine, countsLine, type Phase, type Standing } from './standing.ts';

/** Versions follow the order of the API server's writes over all kinds. */
interface JobVersion {
  readonly version: number;
  readonly uid: string;
  /** No pod may be created: the job has ended or is suspended. */
  readonly isAtRest: boolean;
}

export class NamespaceHistory implements AsyncDisposable {
  readonly statuses = new Map<string, JobStatus[]>();
  onPod: (event: Seen<Pod>) => void = () => undefined;
  readonly #client: ClusterClient;
  readonly #namespace: string;
  readonly #stop = new AbortController();
  readonly #jobs = new Map<string, { isGone: boolean; versions: JobVersion[] }>();
  readonly #births = new Map<string, Pod[]>();
  /** Cached until the job's next event. */
  readonly #standings = new Map<string, Standing>();
  /** By job and name. `births` are the versions of creations, by UID. */
  readonly #pods = new Map<string, Map<string, { births: Map<string, number>; now: Pod | undefined }>>();
  readonly #services = new Map<string, Set<string>>();
  #watching: Promise<unknown> = Promise.resolve();
  /** After an error of the watches, the history is incomplete. */
  failure: unknown;

  constructor(client: ClusterClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async start(): Promise<void> {
    const where = { namespace: this.#namespace, signal: this.#stop.signal };
    const follow = await Promise.all([
      unbrokenWatch(this.#client, PYTORCH_JOBS, where, (event) => this.#noteJob(event)),
      unbrokenWatch(this.#client, PODS, where, (event) => this.#notePod(event)),
      unbrokenWatch(this.#client, SERVICES, where, (event) => this.#noteService(event)),
    ]);
    const followed = Promise.all(follow.map((each) => each()));
    this.#watching = followed.catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.failure = error;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  pod(job: string, name: string): Pod | undefined {
    return this.#pods.get(job)?.get(name)?.now;
  }

  standing(job: string): Standing {
    const known = this.#standings.get(job) ?? this.#standingOf(job);
    this.#standings.set(job, known);
    return known;
  }

  /** Pods with wrong labels or owner, or created for a finished or suspended job. */
  misbirths(job: string): string[] {
    const { versions = [] } = this.#jobs.get(job) ?? {};
    const births = this.#births.get(job) ?? [];
    return births.flatMap(({ metadata = {} }) => {
      const { name, labels = {}, ownerReferences = [] } = metadata;
      const before = versions.findLast(({ version }) => version < Number(metadata.resourceVersion));
      const replica = `${job}-${labels[LABELS.replicaType]}-${labels[LABELS.replicaIndex]}`;
      const owner = ownerReferences.find(({ controller }) => controller === true)?.uid;
      return [
        ...(name === replica ? [] : [`${name} is made with the labels of ${replica}`]),
        ...(owner === before?.uid ? [] : [`${name} is controlled by ${owner}, not by ${before?.uid}`]),
        ...(before?.isAtRest === true ? [`${name} is made while its job is at rest`] : []),
      ];
    });
  }

  /**
   * Ignores pods created after their job's deletion: the operator may see the deletion of pods before that of the job.
   * Such pods are garbage-collected, or reported as orphans.
   */
  #standingOf(job: string): Standing {
    const { isGone = false, versions = [] } = this.#jobs.get(job) ?? {};
    const goneSince = isGone ? (versions.at(-1)?.version ?? Infinity) : Infinity;
    const status = this.statuses.get(job)?.at(-1) ?? {};
    const pods = sorted(this.#pods.get(job) ?? []);
    const created = pods.flatMap(([name, { births }]) => {
      const inTime = [...births.values()].filter((version) => version < goneSince).length;
      return inTime > 0 ? [[name, inTime] as const] : [];
    });
    const roles = sorted(Object.entries(status.replicaStatuses ?? {}));
    return {
      isGone,
      state: status.state,
      ready: status.ready,
      conditions: status.conditions?.map(conditionLine) ?? [],
      counts: Object.fromEntries(roles.map(([role, counts]) => [role, countsLine(counts)])),
      restarts: status.restartCount ?? 0,
      disruptions: status.disruptionCount ?? 0,
      pods: Object.fromEntries(pods.flatMap(([name, { now }]) => (now === undefined ? [] : [[name, phaseOf(now)]]))),
      created: Object.fromEntries(created),
      services: [...(this.#services.get(job) ?? [])].sort(),
    };
  }

  #noteJob({ type, object }: Seen<PyTorchJob>): void {
    const { name = '', uid = '', resourceVersion } = object.metadata ?? {};
    const status = object.status ?? {};
    const isAtRest = ['Succeeded', 'Failed', 'Suspended'].some((condition) => holds(status, condition));
    const { versions: before } = this.#jobs.get(name) ?? { versions: [] };
    const versions = [...before, { version: Number(resourceVersion), uid, isAtRest }];
    this.#jobs.set(name, { isGone: type === 'DELETED', versions });
    this.#standings.delete(name);
    const statuses = this.statuses.get(name) ?? [];
    this.statuses.set(name, statuses);
    if (JSON.stringify(status) !== JSON.stringify(statuses.at(-1) ?? {})) statuses.push(status);
  }

  #notePod(event: Seen<Pod>): void {
    const { type, object } = event;
    const { name = '', uid = '', resourceVersion } = object.metadata ?? {};
    const job = jobOf(object);
    const pods = this.#pods.get(job) ?? new Map<string, { births: Map<string, number>; now: Pod | undefined }>();
    this.#pods.set(job, pods);
    const { births } = pods.get(name) ?? { births: new Map<string, number>() };
    if (!births.has(uid)) births.set(uid, Number(resourceVersion));
    pods.set(name, { births, now: type === 'DELETED' ? undefined : object });
    this.#standings.delete(job);
    if (type === 'ADDED') this.#births.set(job, [...(this.#births.get(job) ?? []), object]);
    this.onPod(event);
  }

  #noteService({ type, object }: Seen<Service>): void {
    const services = this.#services.get(jobOf(object)) ?? new Set<string>();
    this.#services.set(jobOf(object), services);
    this.#standings.delete(jobOf(object));
    const { name = '' } = object.metadata ?? {};
    if (type === 'DELETED') services.delete(name);
    else services.add(name);
  }
}

function jobOf({ metadata }: KubeObject): string {
  return metadata?.labels?.[LABELS.jobName] ?? '';
}

function phaseOf({ metadata, status }: Pod): Phase {
  return (metadata?.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating') as Phase;
}

function sorted<T>(entries: Iterable<readonly [string, T]>): (readonly [string, T])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}
