/**
 * Ray on simulated nodes: the dashboards' API for jobs, Ray Serve and its proxies. Requests that an operator sends to Services and pods
 * through the API server are answered from the pods in etcd. Jobs and applications belong to a head, and are lost with it.
 */
import type { OtherServer } from '@muster/fault-injection';
import type { Pod, Service } from '@muster/job-api';
import type { Change, RayRun } from '../history/history.ts';
import { doesServe, type Program, programIn } from './simulated-program.ts';

interface Run extends RayRun {
  stoppedMs?: number;
}

interface Head {
  readonly uid: string;
  readonly jobs: Map<string, Run>;
  /** When each application runs; infinite if it does not start. */
  applications: Map<string, number>;
}

type Answer = NonNullable<ReturnType<OtherServer>>;

const DEPLOYS_WITHIN_MS = 2_000;
const TARGET = /^\/api\/v1\/namespaces\/([^/]+)\/(services|pods)\/([^/:]+):\d+\/proxy(\/.*)$/;

export class SimulatedRay {
  /** All jobs that were accepted, in this order. */
  readonly runs: RayRun[] = [];
  readonly #services = new Map<string, Service>();
  readonly #pods = new Map<string, Pod>();
  readonly #heads = new Map<string, Head>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note({ resource, namespace, name, before, after }: Change): void {
    if (resource === 'services') return keep(this.#services, `${namespace}/${name}`, after as Service | undefined);
    if (resource !== 'pods') return;
    const uid = (after ?? before)?.metadata?.uid ?? '';
    const wasRunning = this.#pods.get(uid)?.status?.phase === 'Running';
    keep(this.#pods, uid, after as Pod | undefined);
    const pod = this.#pods.get(uid);
    if (pod?.status?.phase === 'Running' && !wasRunning) this.#submitFrom(pod);
    if (pod === undefined) this.#heads.delete(uid);
  }

  readonly answer: OtherServer = ({ method, path }, body) => {
    const [, namespace = '', plural = '', name = '', rest = ''] = TARGET.exec(path) ?? [];
    if (namespace === '') return undefined;
    const pod = plural === 'pods' ? this.#podNamed(namespace, name) : this.#endpointOf(namespace, name);
    if (pod === undefined) return unavailable(`no endpoints available for ${plural} "${name}"`);
    const head = this.#headOf(pod);
    if (rest === '/-/healthz') return { code: this.#serves(head) ? 200 : 503, body: 'success' };
    if (rest === '/api/version') return { code: 200, body: { session_name: `session_${head.uid}` } };
    if (rest.startsWith('/api/serve/applications')) return this.#serve(head, method, body);
    if (rest.startsWith('/api/v0/nodes')) return { code: 200, body: NODE_IS_ALIVE };
    if (rest === '/api/jobs/' && method === 'POST') return this.#submitted(pod, body);
    const [, jobId = '', stop] = /^\/api\/jobs\/([^/]+)(\/stop)?$/.exec(rest) ?? [];
    return jobId === ''
      ? { code: 404, body: 'Not Found' }
      : this.#job(pod, decodeURIComponent(jobId), stop !== undefined);
  };

  #submitted(pod: Pod, body: string): Answer {
    const { submission_id = '', entrypoint = '' } = JSON.parse(body) as Record<string, string | undefined>;
    const program = programIn(entrypoint);
    if (program === undefined) return { code: 400, body: `no program in ${entrypoint}` };
    return this.#submit(pod, submission_id, program)
      ? { code: 200, body: { submission_id } }
      : { code: 500, body: `Job ${submission_id} already exists (status code 400)` };
  }

  #job(pod: Pod, jobId: string, isStop: boolean): Answer {
    this.#submitWaiting(pod.metadata?.namespace ?? '', jobId);
    const run = this.#headOf(pod).jobs.get(jobId);
    if (run === undefined) return { code: 404, body: `Job ${jobId} does not exist` };
    if (isStop) {
      if (run.endMs > this.#now()) run.stoppedMs ??= this.#now();
      return { code: 200, body: { stopped: true } };
    }
    return { code: 200, body: { status: statusOf(run, this.#now()), message: '', start_time: 1 } };
  }

  #serve(head: Head, method: string, body: string): Answer {
    if (method === 'GET') return { code: 200, body: { applications: this.#applicationsOf(head) } };
    const { applications = [] } = JSON.parse(body) as { applications?: { name: string; import_path: string }[] };
    const atMs = this.#now() + DEPLOYS_WITHIN_MS;
    head.applications = new Map(
      applications.map(({ name, import_path }) => [name, doesServe(import_path) ? atMs : Infinity]),
    );
    return { code: 200, body: '' };
  }

  #applicationsOf({ applications }: Head): object {
    const stateOf = (atMs: number) =>
      atMs === Infinity ? 'DEPLOY_FAILED' : atMs <= this.#now() ? 'RUNNING' : 'DEPLOYING';
    return Object.fromEntries(
      [...applications].map(([name, atMs]) => [name, { status: stateOf(atMs), message: '', deployments: {} }]),
    );
  }

  #serves({ applications }: Head): boolean {
    return applications.values().some((atMs) => atMs <= this.#now());
  }

  /** The submitters of Jobs in the namespace that wait for the head. */
  #submitWaiting(namespace: string, jobId: string): void {
    for (const pod of this.#pods.values())
      if (
        pod.metadata?.namespace === namespace &&
        pod.status?.phase === 'Running' &&
        submissionOf(pod)?.jobId === jobId
      )
        this.#submitFrom(pod);
  }

  /** If the pod is that of a submitter. */
  #submitFrom(pod: Pod): void {
    const submission = submissionOf(pod);
    const [service = ''] = submission?.address.split('.') ?? [];
    const head = submission && this.#endpointOf(pod.metadata?.namespace ?? '', service);
    if (head !== undefined) this.#submit(head, submission?.jobId ?? '', submission?.program);
  }

  #submit(pod: Pod, jobId: string, program: Program | undefined): boolean {
    const { jobs } = this.#headOf(pod);
    if (program === undefined || jobs.has(jobId)) return false;
    const run: Run = {
      ...{ namespace: pod.metadata?.namespace ?? '', jobId, succeeds: program.exitCode === 0 },
      endMs: this.#now() + program.afterMs,
    };
    jobs.set(jobId, run);
    this.runs.push(run);
    return true;
  }

  #headOf({ metadata }: Pod): Head {
    const uid = metadata?.uid ?? '';
    const head = this.#heads.get(uid) ?? { uid, jobs: new Map(), applications: new Map() };
    this.#heads.set(uid, head);
    return head;
  }

  #podNamed(namespace: string, name: string): Pod | undefined {
    return this.#pods
      .values()
      .find(
        ({ metadata, status }) =>
          metadata?.namespace === namespace && metadata.name === name && status?.phase === 'Running',
      );
  }

  #endpointOf(namespace: string, service: string): Pod | undefined {
    const { selector = {} } = this.#services.get(`${namespace}/${service}`)?.spec ?? {};
    const wanted = Object.entries(selector);
    if (wanted.length === 0) return undefined;
    return this.#pods.values().find(({ metadata, status }) => {
      const isReady = status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
      const isLive = isReady && status.phase === 'Running' && metadata?.deletionTimestamp === undefined;
      return (
        isLive && metadata?.namespace === namespace && wanted.every(([key, value]) => metadata.labels?.[key] === value)
      );
    });
  }
}

const NODE_IS_ALIVE = { data: { result: { result: [{ state: 'ALIVE' }] } } };

function keep<T>(objects: Map<string, T>, key: string, object: T | undefined): void {
  if (object === undefined) objects.delete(key);
  else objects.set(key, object);
}

function statusOf({ stoppedMs, endMs, succeeds }: Run, nowMs: number): string {
  if (stoppedMs !== undefined) return 'STOPPED';
  if (nowMs < endMs) return 'RUNNING';
  return succeeds ? 'SUCCEEDED' : 'FAILED';
}

/** What the pod of a submitter submits. Its command has the entrypoint. */
function submissionOf({
  spec,
}: Pod): { readonly jobId: string; readonly address: string; readonly program: Program | undefined } | undefined {
  const [container] = spec?.containers ?? [];
  const value = (name: string) => container?.env?.find((each) => each.name === name)?.value ?? '';
  const [jobId, address] = [value('RAY_JOB_SUBMISSION_ID'), value('RAY_DASHBOARD_ADDRESS')];
  if (jobId === '' || address === '') return undefined;
  return { jobId, address: address.replace(/^https?:\/\//, ''), program: programIn(JSON.stringify(container)) };
}

/** As the API server answers for a Service without ready pods. */
function unavailable(message: string): Answer {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'ServiceUnavailable',
    code: 503,
    message,
  };
  return { code: 503, body: status };
}
