import { PODS, PYTORCH_JOBS } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import { eventually } from '@muster/testing';
import { manifestOf } from './job-shape.ts';
import type { NamespaceHistory } from './namespace-history.ts';
import type { PlayedKubelet } from './played-kubelet.ts';
import type { Step } from './predicted-job.ts';
import type { Standing } from './standing.ts';
import type { Act, RandomJob } from './random-job.ts';

export interface Fixture {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly history: NamespaceHistory;
  readonly kubelet: PlayedKubelet;
  readonly withinMs: number;
  /** The operator's state, for a step that times out. */
  readonly describe: () => unknown;
}

export async function playJob(fixture: Fixture, job: RandomJob): Promise<void> {
  for (const [index, { step, after, isCutShort = false }] of job.acts.entries()) {
    await perform(fixture, job, step);
    if (after === undefined) continue;
    const details = () => ({
      ...contradiction(fixture.history, job, after, isCutShort),
      steps: job.acts.slice(0, index + 1).map((act) => act.step),
      manifest: manifestOf(job.shape, fixture.namespace),
      statuses: fixture.history.statuses.get(job.shape.name),
      watches: fixture.history.failure,
      kubelet: fixture.kubelet.failures.map(String),
      operator: fixture.describe(),
    });
    const { withinMs } = fixture;
    await eventually(() => contradiction(fixture.history, job, after, isCutShort) === undefined, {
      withinMs,
      describe: details,
    });
  }
}

export function contradictionAtEnd(history: NamespaceHistory, job: RandomJob): object | undefined {
  const { after, isCutShort = false }: Partial<Act> = job.acts.at(-1) ?? {};
  return after && contradiction(history, job, after, isCutShort);
}

function contradiction(
  history: NamespaceHistory,
  { shape }: RandomJob,
  predicted: Standing,
  isCutShort: boolean,
): { predicted: object; seen: object } | undefined {
  const seen = history.standing(shape.name);
  const isAsPredicted = textOf(seen, isCutShort) === textOf(predicted, isCutShort) && hasNoOther(seen, predicted);
  return isAsPredicted ? undefined : { predicted, seen };
}

/** Cached, since unchanged standings are compared repeatedly. */
function textOf(standing: Standing, isCutShort: boolean): string {
  const text = TEXTS.get(standing) ?? JSON.stringify(isCutShort ? comparable(standing) : standing);
  TEXTS.set(standing, text);
  return text;
}

const TEXTS = new WeakMap<Standing, string>();

/** If the job is cut short, conditions, counts and Services are arbitrary. */
function comparable({ isGone, state, pods, created }: Standing): object {
  const mostCreated = Math.max(1, ...Object.values(created));
  return { isGone, pods, mostCreated, ...(isGone ? {} : { state }) };
}

/** A job that is cut short may have fewer Services. */
function hasNoOther(seen: Standing, { isGone, services }: Standing): boolean {
  return isGone || seen.services.every((name) => services.includes(name));
}

async function perform(fixture: Fixture, job: RandomJob, step: Step): Promise<void> {
  const { client, namespace, kubelet, history } = fixture;
  const { name } = job.shape;
  const key = { namespace, name };
  const podOf = (pod: string) => history.pod(name, pod) ?? { metadata: { namespace, name: pod } };
  switch (step.does) {
    case 'create':
      await client.create(PYTORCH_JOBS, manifestOf(job.shape, namespace));
      return;
    case 'suspend':
    case 'resume':
      await client.patch(PYTORCH_JOBS, key, { spec: { runPolicy: { suspend: step.does === 'suspend' } } });
      return;
    case 'scale':
      await client.patch(PYTORCH_JOBS, key, { spec: { replicas: step.workers } }, { subresource: 'scale' });
      return;
    case 'delete the job':
      return client.delete(PYTORCH_JOBS, key, { propagationPolicy: step.propagationPolicy });
    case 'reach the deadline':
      return;
    case 'together':
      await Promise.all(step.steps.map((each) => perform(fixture, job, each)));
      return;
    case 'fail':
      return kubelet.end(podOf(step.pod), step.exitCode);
    case 'succeed':
      return kubelet.end(podOf(step.pod), 0);
    case 'disrupt':
      return kubelet.disrupt(podOf(step.pod), step.by);
    case 'restart in place':
      return kubelet.restart(podOf(step.pod));
    case 'delete':
      return client.delete(PODS, { namespace, name: step.pod });
  }
}
