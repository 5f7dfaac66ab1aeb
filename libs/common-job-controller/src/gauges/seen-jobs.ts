/** Jobs as the caches show them at a scrape, independent of reconcile runs. */
import type { JobStatus, Pod, RunPolicy } from '@muster/job-api';
import { cacheKey } from '@muster/kube';
import { JOB_STATES } from '@muster/metrics';
import { readJob, runPolicyOf, statusOf } from '../contract/read-manifest.ts';
import { sizedAsGranted } from '../elastic/granted-size.ts';
import { NO_CONTEXT } from '../model/job-context.ts';
import { controllerOf, isOfKind } from '../model/ownership.ts';
import type { JobManifest, ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { isReady, stateOf as stateOfPod } from '../pods/replica-pods.ts';
import { type WatchedKind, referencesOf } from '../reconcile/observe.ts';
import { recorded } from '../status/own-status.ts';

export type JobState = keyof typeof JOB_STATES;

export interface SeenJob {
  readonly kind: WatchedKind;
  readonly key: string;
  readonly manifest: JobManifest;
  readonly status: JobStatus;
  readonly runPolicy: RunPolicy;
}

export function labelsOf({ kind, manifest }: SeenJob) {
  const { name = '', namespace = '' } = manifest.metadata ?? {};
  const { framework, resource } = kind.adapter;
  return { job_namespace: namespace, job_name: name, framework, kind: resource.kind };
}

const KUEUE_QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';

/** Of Kueue or the gang scheduler. Empty if the job names none. */
export function queueOf({ manifest, runPolicy }: SeenJob): string {
  return manifest.metadata?.labels?.[KUEUE_QUEUE_LABEL] ?? runPolicy.schedulingPolicy?.queue ?? '';
}

/** A status that no CRD validates may have any content, which must not prevent the export of other metrics. */
export function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

export function* seenJobs(kinds: readonly WatchedKind[]): Generator<SeenJob> {
  for (const kind of kinds) {
    for (const manifest of kind.caches.jobs.list()) {
      const job = readable(() => seenJob(kind, manifest), undefined);
      if (job !== undefined) yield job;
    }
  }
}

export function seenJob(kind: WatchedKind, stored: JobManifest): SeenJob {
  const { adapter } = kind;
  const manifest = recorded(adapter, stored);
  return {
    kind,
    key: cacheKey(stored),
    manifest,
    status: statusOf(adapter, manifest),
    runPolicy: runPolicyOf(adapter, manifest),
  };
}

/** `New` for no state, or one that Muster does not know. */
export function jobStateOf({ status: { state = 'New' } }: SeenJob): JobState {
  return Object.hasOwn(JOB_STATES, state) ? (state as JobState) : 'New';
}

/** Includes pods of an earlier job of this name. */
export function podsNamedFor({ kind: { caches }, key }: SeenJob): readonly Pod[] {
  return caches.pods.byIndex(caches.index, key);
}

/** With the size in its status. Undefined if the manifest has problems or references missing objects. */
export function readSeen({ kind, manifest, status }: SeenJob): TrainingJob | undefined {
  return readable(() => {
    const references = referencesOf(kind.adapter, kind.caches, manifest);
    const read = readJob(kind.adapter, manifest, { ...NO_CONTEXT, references });
    return sizedAsGranted(kind.adapter, { ...read, status });
  }, undefined);
}

/** Excludes pods of an earlier job of this name. Pods of a Job or StatefulSet only have the job's labels. */
export function readyPods(
  job: SeenJob,
  { roles }: Pick<TrainingJob, 'roles'>,
): { readonly role: ReplicaRole; readonly ready: number }[] {
  const { labels, resource } = job.kind.adapter;
  const pods = podsNamedFor(job).filter((pod) => {
    const controller = controllerOf(pod);
    const isOfJob = controller !== undefined && isOfKind(controller, resource);
    return !isOfJob || controller.uid === job.manifest.metadata?.uid;
  });
  const byRole = Map.groupBy(pods, (pod) => labels.replicaOf(pod)?.role);
  return roles.map((role) => {
    const own = byRole.get(role.name.toLowerCase()) ?? [];
    const ready = own.filter((pod) => stateOfPod(pod, role.containerName) === 'running' && isReady(pod));
    return { role, ready: ready.length };
  });
}
