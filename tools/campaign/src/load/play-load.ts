/** Creates the jobs of a load and does what their users do, at the planned times. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  LABELS,
  OPERATOR_NAMES,
  type Pod,
  PODS,
  type Service,
  SERVICE_ACCOUNTS,
  SERVICES,
  VOLCANO_COMMANDS,
} from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { FOREIGN_LABEL } from '../invariants/others-untouched.ts';
import { manifestOf } from './kinds.ts';
import { queueLabelOf } from './queues.ts';
import type { LoadedJob, UserAct } from './random-load.ts';

export interface LoadPlace {
  readonly client: KubeClient;
  readonly namespaces: readonly string[];
  /** Whether Kueue runs. */
  readonly hasQueues: boolean;
  /** Whether objects of others have the names of some Services. Default: yes. */
  readonly hasRivals?: boolean;
  /** Why something could not be done, counted by reason: an API server that is down refuses users as well. */
  readonly refused: Map<string, number>;
}

/** Resolves when the last act is over. Everything that cannot be done is counted and left out. */
export async function playLoad(place: LoadPlace, load: readonly LoadedJob[]): Promise<void> {
  const startMs = performance.now();
  const at = async (atMs: number) => sleep(Math.max(0, startMs + atMs - performance.now()));
  await Promise.all(
    load.map(async (job, index) => {
      await at(job.atMs);
      const isRivalled = place.hasRivals !== false && index % 7 === 3;
      await attempt(place, () => createJob(place, job, { isRivalled, hasLabels: index % 14 === 3 }));
      for (const { atMs, act } of job.acts) {
        await at(atMs);
        await attempt(place, () => perform(place, job, act));
      }
    }),
  );
}

async function attempt({ refused }: LoadPlace, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const reason = isKubeError(error) ? error.reason : String(error);
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
  }
}

interface OtherService {
  /** Whether an object of others already has the name of a Service that the job may need. */
  readonly isRivalled: boolean;
  /** Whether it has the labels of the job's Services, too, and a controller. */
  readonly hasLabels: boolean;
}

async function createJob(place: LoadPlace, job: LoadedJob, { isRivalled, hasLabels }: OtherService): Promise<void> {
  const { kind, name, shape } = job;
  const { rivalOf = (job) => `${job}-worker-0` } = kind;
  const namespace = place.namespaces[job.namespace] ?? '';
  if (isRivalled) {
    const foreign: Service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        ...{ name: rivalOf(name), namespace },
        labels: { [FOREIGN_LABEL]: 'true', ...(hasLabels && labelsOf(job)) },
        ...(hasLabels && { ownerReferences: [await otherController(place, namespace)] }),
      },
      spec: { clusterIP: 'None', selector: { app: 'foreign' }, ports: [{ port: 80 }] },
    };
    await place.client.create(SERVICES, foreign);
  }
  const labels = place.hasQueues ? queueLabelOf(job) : {};
  await place.client.create(kind.resource, manifestOf(kind, { name, namespace, labels }, shape));
}

function labelsOf({ kind, name }: LoadedJob): Record<string, string> {
  const operator = Object.entries(OPERATOR_NAMES).find(([title]) => title === kind.resource.kind)?.[1];
  return operator === undefined ? {} : { [LABELS.jobName]: name, [LABELS.operatorName]: operator };
}

async function otherController({ client }: LoadPlace, namespace: string) {
  const { metadata } = await client.get(SERVICE_ACCOUNTS, { namespace, name: 'default' });
  return { apiVersion: 'v1', kind: 'ServiceAccount', name: 'default', uid: metadata?.uid ?? '', controller: true };
}

async function perform(place: LoadPlace, job: LoadedJob, act: UserAct): Promise<unknown> {
  const { client } = place;
  const key = { name: job.name, namespace: place.namespaces[job.namespace] ?? '' };
  const { resource } = job.kind;
  const edit = (spec: object) => client.patch(resource, key, { spec });
  switch (act.does) {
    case 'suspend':
    case 'resume':
      return suspendJob(place, job, act.does === 'suspend');
    case 'delete':
      return client.delete(resource, key, {
        propagationPolicy: job.acts.length % 2 === 0 ? 'Background' : 'Foreground',
      });
    case 'annotate':
      return client.patch(resource, key, {
        metadata: { annotations: { 'example.com/note': String(performance.now()) } },
      });
    case 'scale':
      return client.patch(resource, key, { spec: { replicas: act.replicas } }, { subresource: 'scale' });
    case 'limit':
      return job.kind.limit && edit(job.kind.limit(act.backoffLimit));
    case 'change':
      return edit(act.spec);
    case 'delete a pod':
    case 'evict a pod':
    case 'fail a pod': {
      const pod = await somePod(client, key);
      return pod && disturbPod(client, pod, act.does);
    }
  }
}

async function suspendJob(
  { client, namespaces }: LoadPlace,
  { kind: { resource, suspension }, name, namespace }: LoadedJob,
  suspend: boolean,
): Promise<unknown> {
  const key = { name, namespace: namespaces[namespace] ?? '' };
  if (suspension !== undefined) return client.patch(resource, key, { spec: suspension(suspend) });
  const { metadata } = await client.get(resource, key);
  const target = {
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    name,
    uid: metadata?.uid ?? '',
  };
  return client.create(VOLCANO_COMMANDS, {
    metadata: {
      generateName: `${name}-`,
      namespace: key.namespace,
      ownerReferences: [{ ...target, controller: true }],
    },
    action: suspend ? 'AbortJob' : 'ResumeJob',
    target,
  });
}

/** Users switch their schedules off: otherwise something would change every minute. */
export async function endSchedules(place: LoadPlace, load: readonly LoadedJob[]): Promise<void> {
  const scheduled = load.filter(({ kind }) => kind.isSchedule === true);
  await Promise.all(scheduled.map((job) => attempt(place, () => suspendJob(place, job, true))));
}

async function somePod(
  client: KubeClient,
  { name, namespace }: { name: string; namespace: string },
): Promise<Pod | undefined> {
  const { items } = await client.list(PODS, { namespace });
  return items.find(
    ({ status, metadata }) =>
      metadata?.name?.startsWith(`${name}-`) === true &&
      status?.phase === 'Running' &&
      metadata.deletionTimestamp === undefined,
  );
}

/** Deletes or evicts a pod, or ends it like a kubelet whose container has failed. */
export async function disturbPod(
  client: KubeClient,
  { metadata, spec }: Pod,
  does: 'delete a pod' | 'evict a pod' | 'fail a pod',
): Promise<unknown> {
  const key = { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' };
  const { uid } = metadata ?? {};
  if (does === 'delete a pod') return client.delete(PODS, key, uid === undefined ? {} : { uid });
  if (does === 'evict a pod') {
    const path = `/api/v1/namespaces/${key.namespace}/pods/${key.name}/eviction`;
    return client.proxied({ method: 'POST', path, body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: key } });
  }
  const state = { terminated: { exitCode: 1, reason: 'Error', finishedAt: new Date().toISOString() } };
  const containerStatuses = (spec?.containers ?? []).map(({ name }) => ({
    ...{ name, image: '', imageID: '', ready: false, restartCount: 0, state },
  }));
  return client.patchStatus(PODS, key, { metadata: { uid }, status: { phase: 'Failed', containerStatuses } });
}
