/** Steps that change a running job. Each waits until its result is visible. */
import { PODS, type Pod } from '@muster/job-api';
import type { Observation, RunningJob, Step } from './demo-job.ts';
import type { Epoch } from './training-log.ts';

/** Waits until the job trains with this number of workers, in `pods` pods. */
export function trainsWith(workers: number, pods = workers): Step {
  return {
    expectation: `runs with ${workers} workers`,
    now: 'starting',
    async run(job) {
      if (!job.trains) return allReady(job, pods);
      const { epoch, loss } = await job.until(({ log }) => log.epochs.find((one) => one.workers === workers));
      return `epoch ${epoch}, loss ${loss}`;
    },
  };
}

/** Writes the scale subresource, as `kubectl scale` and autoscalers do, and waits until the new number of workers trains. */
export function scalesTo(workers: number): Step {
  return {
    expectation: `is scaled to ${workers} workers while it runs`,
    now: `scaling to ${workers}`,
    async run(job) {
      const before = job.seen.log.epochs.length;
      await job.client.patch(job.resource, job.key, { spec: { replicas: workers } }, { subresource: 'scale' });
      if (!job.trains) return allReady(job, workers);
      const { epoch } = await job.until((seen) => epochsAfter(seen, before).find((one) => one.workers === workers));
      return `from epoch ${epoch} on`;
    },
  };
}

/**
 * Deletes a pod, and waits until its replacement of the same name runs and training continues.
 *
 * @param suffix the pod's name without the job's: "worker-1"
 */
export function survivesLossOf(suffix: string): Step {
  return {
    expectation: `continues when ${suffix} is deleted`,
    now: `losing ${suffix}`,
    async run(job) {
      const { namespace } = job.key;
      const name = `${job.key.name}-${suffix}`;
      const lost = (await job.client.get(PODS, { namespace, name })).metadata?.uid ?? '';
      await job.client.delete(PODS, { namespace, name }, { uid: lost });
      const uid = await job.until(({ pods }) => {
        const pod = pods.find(({ metadata }) => metadata?.name === name && metadata.uid !== lost);
        return pod !== undefined && isRunning(pod) ? pod.metadata?.uid : undefined;
      });
      const replaced = `replaced (uid ${shortUid(lost)} → ${shortUid(uid)})`;
      if (!job.trains) return replaced;
      // The replacement can start only after the old pod's end: later epochs are trained without the old pod.
      const before = job.seen.log.epochs.length;
      const { epoch } = await job.until((seen) => epochsAfter(seen, before)[0]);
      return `${replaced}, epoch ${epoch}`;
    },
  };
}

/** Waits until this number of pods is ready, for a kind whose pods write no training log. */
export function runsWithPods(pods: number): Step {
  return { expectation: `runs with ${pods} pods`, now: 'starting', run: (job) => allReady(job, pods) };
}

/**
 * Deletes a pod, and waits for its replacement with another name.
 *
 * @param suffix the pod's name without the job's: "small-worker-0"
 */
export function replaces(suffix: string): Step {
  return {
    expectation: `replaces ${suffix} when it is deleted`,
    now: 'losing a pod',
    async run(job) {
      const before = job.seen.pods.map(({ metadata }) => metadata?.name);
      await job.client.delete(PODS, { namespace: job.key.namespace, name: `${job.key.name}-${suffix}` });
      const pods = before.length;
      await job.until(({ pods: all }) => all.find((pod) => isRunning(pod) && !before.includes(pod.metadata?.name)));
      const [added] = job.seen.pods.filter(({ metadata }) => !before.includes(metadata?.name));
      await allReady(job, pods);
      return `with ${added?.metadata?.name}`;
    },
  };
}

/** Sets `spec.suspend`, and waits until all pods are gone. */
export function isSuspended(): Step {
  return {
    expectation: 'is suspended and has no pods',
    now: 'suspending',
    async run(job) {
      await job.client.patch(job.resource, job.key, { spec: { suspend: true } });
      return job.until((seen) => (hasStopped(seen) ? 'no pod is left' : undefined));
    },
  };
}

/** Whether a job is suspended and the last of its pods is gone. */
export function hasStopped({ status, pods }: Pick<Observation, 'status' | 'pods'>): boolean {
  return status.state === 'Suspended' && pods.length === 0;
}

async function allReady(job: RunningJob, count: number): Promise<string> {
  return job.until(({ status, pods }) =>
    status.ready === `${count}/${count}` && pods.filter(isRunning).length === count ? `${count} pods run` : undefined,
  );
}

function epochsAfter({ log }: Observation, count: number): readonly Epoch[] {
  return log.epochs.slice(count);
}

function isRunning({ metadata, status }: Pod): boolean {
  return status?.phase === 'Running' && metadata?.deletionTimestamp === undefined;
}

/** Enough characters to distinguish two UIDs. */
function shortUid(uid: string): string {
  return uid.slice(0, 8);
}
