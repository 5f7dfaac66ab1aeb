/** Runs one job of the demo until it ends, and checks its expectations. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SIMULATE_LABEL } from '@muster/cluster';
import { type JobStatus, LABELS, type Pod, PODS } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import type { DemoJob, JobObject, KindView, Observation, RunningJob } from './demo-job.ts';
import type { JobRow } from './job-table.ts';
import { imageProblem } from './pod-problem.ts';
import { reportingPod } from './reporting-pod.ts';
import { LogHistory, parseTrainingLog } from './training-log.ts';

const POLL_MS = 500;
/** A step takes seconds, or minutes on a busy machine. */
const STEP_LIMIT_MS = 600_000;

export interface Finding {
  readonly expectation: string;
  readonly met: boolean;
  /** The observed result. */
  readonly seen: string;
}

export interface JobReport {
  readonly name: string;
  readonly findings: readonly Finding[];
  readonly seen: Observation;
}

export interface JobRunSettings {
  readonly client: KubeClient;
  readonly job: DemoJob;
  /** Ready to be created, with name and namespace. */
  readonly manifest: JobObject;
  readonly trains: boolean;
  readonly signal: AbortSignal;
  /** Throws if the operator has ended. */
  readonly check: () => void;
  /** Called after each observation. */
  readonly changed: () => void;
  /** Called with the result of each step. */
  readonly print: (line: string) => void;
}

const KUBEFLOW: KindView = { podSelector: (name) => `${LABELS.jobName}=${name}`, statusOf: (status) => status };

/** An expectation that was not met. */
class UnmetError extends Error {}

export class JobRun implements RunningJob {
  readonly client: KubeClient;
  readonly resource: DemoJob['resource'];
  readonly key: { readonly namespace: string; readonly name: string };
  readonly trains: boolean;
  seen: Observation = { status: {}, pods: [], log: { epochs: [] }, logText: '' };
  readonly #settings: JobRunSettings;
  readonly #log = new LogHistory();
  /** Why the last attempt to read it failed. */
  #logProblem: string | undefined;
  #now = 'starting';
  #outcome: JobRow['outcome'];

  constructor(settings: JobRunSettings) {
    const { client, job, manifest, trains } = settings;
    const { namespace = '', name = '' } = manifest.metadata ?? {};
    this.client = client;
    this.resource = job.resource;
    this.key = { namespace, name };
    this.trains = trains;
    this.#settings = settings;
  }

  get row(): JobRow {
    const { status, log } = this.seen;
    const epoch = log.epochs.at(-1);
    return {
      name: this.key.name,
      state: status.state ?? '',
      ready: status.ready ?? '',
      restarts: status.restartCount ?? 0,
      ...(epoch === undefined ? {} : { epoch }),
      now: this.#now,
      ...(this.#outcome === undefined ? {} : { outcome: this.#outcome }),
    };
  }

  /** Throws only for causes outside of the job: an interruption, an ended operator. */
  async run(): Promise<JobReport> {
    const findings: Finding[] = [];
    await this.client.create(this.resource, this.#settings.manifest);
    for (const { expectation, now, run } of this.#settings.job.steps) {
      const finding = await this.#find(expectation, now, () => run(this));
      findings.push(finding);
      if (!finding.met) return this.#report(findings);
    }
    const ends = await this.#find('ends', 'finishing', () => this.#end());
    if (!ends.met) findings.push(ends);
    else {
      const checked = this.#settings.job.expectations.filter(({ needsTraining }) => this.trains || !needsTraining);
      findings.push(...checked.map(({ expectation, judge }) => ({ expectation, ...judge(this.seen) })));
    }
    return this.#report(findings);
  }

  async until<T>(found: (seen: Observation) => T | undefined): Promise<T> {
    const { signal, check, changed } = this.#settings;
    const endMs = performance.now() + STEP_LIMIT_MS;
    for (;;) {
      signal.throwIfAborted();
      check();
      await this.#observe();
      changed();
      const value = found(this.seen);
      if (value !== undefined) return value;
      const { status, pods } = this.seen;
      if (this.#isOver(this.seen)) throw new UnmetError(`the job ended first: ${stateOf(status)}`);
      const problem = imageProblem(pods);
      if (problem !== undefined) throw new UnmetError(problem);
      if (performance.now() > endMs) throw new UnmetError(this.#timeoutMessage());
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  #timeoutMessage(): string {
    const late = `not reached within ${STEP_LIMIT_MS / 60_000} minutes`;
    return this.#logProblem === undefined ? late : `${late}; its log cannot be read: ${this.#logProblem}`;
  }

  async #find(expectation: string, now: string, work: () => Promise<string>): Promise<Finding> {
    this.#now = now;
    this.#settings.changed();
    try {
      const seen = await work();
      this.#settings.print(`${expectation}: ${seen}`);
      return { expectation, met: true, seen };
    } catch (error) {
      this.#settings.signal.throwIfAborted();
      if (!(error instanceof UnmetError) && !isKubeError(error)) throw error;
      this.#settings.print(`NOT met: ${expectation}: ${error.message}`);
      return { expectation, met: false, seen: error.message };
    }
  }

  #report(findings: readonly Finding[]): JobReport {
    this.#outcome = findings.every(({ met }) => met) ? 'as expected' : 'not as expected';
    this.#now = this.#outcome;
    this.#settings.changed();
    return { name: this.key.name, findings, seen: this.seen };
  }

  async #end(): Promise<string> {
    if (!this.trains) await this.#letPodsSucceed();
    return this.until((seen) => (this.#isOver(seen) ? stateOf(seen.status) : undefined));
  }

  #isOver(seen: Observation): boolean {
    const { isOver = ({ status }) => status.completionTime !== undefined } = this.#settings.job;
    return isOver(seen);
  }

  /** A simulated pod runs until a label ends it. */
  async #letPodsSucceed(): Promise<void> {
    for (const { metadata } of this.seen.pods) {
      const key = { namespace: this.key.namespace, name: metadata?.name ?? '' };
      await this.client.patch(PODS, key, { metadata: { labels: { [SIMULATE_LABEL]: 'succeed' } } });
    }
  }

  /** The log is read last, so that it is not older than the status. */
  async #observe(): Promise<void> {
    const { namespace, name } = this.key;
    const { podSelector, statusOf } = this.#settings.job.view ?? KUBEFLOW;
    const status = statusOf((await this.client.get(this.resource, this.key)).status ?? {});
    const { items: pods } = await this.client.list(PODS, { namespace, labelSelector: podSelector(name) });
    if (this.trains) await this.#readLog(pods);
    this.seen = { status, pods, log: parseTrainingLog(this.#log.text), logText: this.#log.text };
  }

  async #readLog(pods: readonly Pod[]): Promise<void> {
    const { reporter } = this.#settings.job;
    const podName = reportingPod(pods, this.key.name, reporter)?.metadata?.name;
    if (podName === undefined) return;
    try {
      this.#log.add(
        await this.client.text(
          `/api/v1/namespaces/${this.key.namespace}/pods/${podName}/log?container=${encodeURIComponent(reporter.container)}`,
        ),
      );
      this.#logProblem = undefined;
    } catch (error) {
      if (!isKubeError(error)) throw error;
      // While a container restarts there is no log; a later observation reads it.
      this.#logProblem = error.message;
    }
  }
}

/** The state, with the last message unless it is Succeeded. */
function stateOf({ state, conditions }: JobStatus): string {
  if (state === 'Succeeded') return state;
  const message = conditions?.at(-1)?.message;
  return `${state ?? 'no state'}${message === undefined ? '' : ` (${message})`}`;
}
