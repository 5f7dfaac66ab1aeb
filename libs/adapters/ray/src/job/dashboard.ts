/**
 * The HTTP API of Ray's dashboard for one job; Ray has no other interface for jobs. In Ray 2.60 an unknown job is 404,
 * a missing token 401, a wrong one 403. A request that the job's agent refuses, such as an id in use, is 500 with the
 * agent's `status code 400` in its text.
 */
import type { RayJobStatusWord } from './ray-job-status.ts';
import { RAY_JOB_STATUSES } from './ray-job-status.ts';

/** A request as data; `path` starts with a slash. */
export interface DashboardCall {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Sent as JSON. */
  readonly body?: object;
}

/** Undefined fields are omitted. */
export interface RayJobSubmission {
  readonly entrypoint: string;
  readonly submission_id: string;
  readonly runtime_env?: object;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly entrypoint_num_cpus?: number;
  readonly entrypoint_num_gpus?: number;
  readonly entrypoint_resources?: Readonly<Record<string, number>>;
}

export function jobCall(jobId: string): DashboardCall {
  return { path: jobPath(jobId), method: 'GET' };
}

/** With fault tolerance Ray reports a job as running forever when its driver's node was lost with the head. */
export function nodeCall(nodeId: string): DashboardCall {
  const filter = new URLSearchParams({ filter_keys: 'node_id', filter_predicates: '=', filter_values: nodeId });
  return { path: `/api/v0/nodes?${filter.toString()}`, method: 'GET' };
}

/** May be repeated: Ray refuses an id in use. */
export function submitCall(submission: RayJobSubmission): DashboardCall {
  return { path: '/api/jobs/', method: 'POST', body: submission };
}

/** May be repeated, also after the job's end. */
export function stopCall(jobId: string): DashboardCall {
  return { path: `${jobPath(jobId)}/stop`, method: 'POST', body: {} };
}

/** The session of Ray: each start of a head without fault tolerance is a new one, without earlier jobs. */
export function sessionCall(): DashboardCall {
  return { path: '/api/version', method: 'GET' };
}

function jobPath(jobId: string): string {
  return `/api/jobs/${encodeURIComponent(jobId)}`;
}

/** The header for a cluster with a token. Not `Authorization`, which the API server does not pass on. */
export function tokenHeaders(token: string): Readonly<Record<string, string>> {
  return { 'x-ray-authorization': `Bearer ${token}` };
}

export interface DashboardReply {
  readonly answer?: { readonly status: number; readonly body: unknown };
  /** Why the last try has no answer, if it has none. */
  readonly problem?: string;
  /** Tries without an answer in a row. */
  readonly failures: number;
  /** Age of `answer`. */
  readonly ageMs?: number;
  /** Time since the first request. */
  readonly askedForMs?: number;
}

export type DashboardAnswer =
  | {
      readonly kind: 'Job';
      readonly status: RayJobStatusWord;
      readonly message: string;
      readonly startMs?: number;
      readonly endMs?: number;
      /** Ray's node id of the entrypoint; undefined before it runs. */
      readonly driverNode?: string;
    }
  /** Ray does not have the job. */
  | { readonly kind: 'NotFound'; readonly ageMs: number }
  /** The job's state is unknown: no answer, or a refusal. */
  | {
      readonly kind: 'Silent';
      readonly problem: string;
      readonly failures: number;
      /** Time since the first request. */
      readonly askedForMs: number;
    };

/** Undefined before the first request. */
export function readJobReply(reply: DashboardReply | undefined): DashboardAnswer | undefined {
  if (reply === undefined) return undefined;
  const { answer, problem, failures, ageMs = 0, askedForMs = 0 } = reply;
  if (problem !== undefined) return { kind: 'Silent', problem, failures, askedForMs };
  if (answer === undefined) return undefined;
  const { status, body } = answer;
  if (status === 200) {
    return jobOf(body) ?? silent(`did not return a job: ${excerpt(body)}`, askedForMs);
  }
  if (status === 404 && !isFromApiServer(body)) return { kind: 'NotFound', ageMs };
  return silent(refusal(status, body), askedForMs);
}

/** A refusal is an answer, so there is no count of tries. */
function silent(problem: string, askedForMs: number): DashboardAnswer {
  return { kind: 'Silent', problem: `The dashboard ${problem}`, failures: Infinity, askedForMs };
}

function jobOf(body: unknown): DashboardAnswer | undefined {
  const { status, message, start_time, end_time, driver_node_id } = Object(body) as Record<string, unknown>;
  const word = RAY_JOB_STATUSES.find((one) => one !== '' && one === status);
  if (word === undefined) return undefined;
  return {
    kind: 'Job',
    status: word,
    message: typeof message === 'string' ? message : '',
    ...(isMoment(start_time) && { startMs: start_time }),
    ...(isMoment(end_time) && { endMs: end_time }),
    ...(typeof driver_node_id === 'string' && driver_node_id !== '' && { driverNode: driver_node_id }),
  };
}

/** Undefined while unknown; empty if it cannot be known now. */
export function readSessionReply(reply: DashboardReply | undefined): string | undefined {
  if (reply?.problem !== undefined) return '';
  if (reply?.answer === undefined) return undefined;
  const { session_name } = Object(reply.answer.body) as { session_name?: unknown };
  return typeof session_name === 'string' ? session_name : '';
}

/** False if Ray does not report the node's state. */
export function isNodeDead(reply: DashboardReply | undefined): boolean {
  if (reply?.problem !== undefined || reply?.answer?.status !== 200) return false;
  const { data } = Object(reply.answer.body) as { data?: { result?: { result?: { state?: unknown }[] } } };
  return data?.result?.result?.[0]?.state === 'DEAD';
}

/** Milliseconds since the epoch; Go writes 0 for none. */
function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

/** A missing Service or endpoint, reported by the API server's proxy: the request did not reach Ray. */
function isFromApiServer(body: unknown): boolean {
  return (Object(body) as { kind?: unknown }).kind === 'Status';
}

export type SubmissionAnswer =
  | { readonly kind: 'Accepted'; readonly ageMs: number }
  /** It will not be accepted as it is. */
  | { readonly kind: 'Refused'; readonly problem: string }
  /** It may be accepted later. */
  | { readonly kind: 'Unanswered'; readonly problem: string };

/** Undefined before the submission. An id in use counts as accepted: the job's state is requested next. */
export function readSubmissionReply(reply: DashboardReply | undefined): SubmissionAnswer | undefined {
  if (reply?.problem !== undefined) return { kind: 'Unanswered', problem: reply.problem };
  if (reply?.answer === undefined) return undefined;
  const { status, body } = reply.answer;
  const text = textOf(body);
  if (status === 200 || /already exists/.test(text)) return { kind: 'Accepted', ageMs: reply.ageMs ?? 0 };
  const problem = `The dashboard ${refusal(status, body)}`;
  const isFinal = status === 400 || status === 422 || (status === 500 && /status code 4(00|22)/.test(text));
  return { kind: isFinal ? 'Refused' : 'Unanswered', problem };
}

export type StopAnswer =
  /** It does not run any more. */
  | { readonly kind: 'Stopped' }
  /** Ray does not have the job. */
  | { readonly kind: 'NotFound' }
  | { readonly kind: 'Unanswered'; readonly problem: string };

/** Undefined before the request. */
export function readStopReply(reply: DashboardReply | undefined): StopAnswer | undefined {
  if (reply?.problem !== undefined) return { kind: 'Unanswered', problem: reply.problem };
  if (reply?.answer === undefined) return undefined;
  const { status, body } = reply.answer;
  if (status === 200) return { kind: 'Stopped' };
  if (status === 404 && !isFromApiServer(body)) return { kind: 'NotFound' };
  return { kind: 'Unanswered', problem: `The dashboard ${refusal(status, body)}` };
}

/** Completes `The dashboard …`. */
export function refusal(status: number, body: unknown): string {
  const hint =
    status === 401 || status === 403
      ? ': it requires a token. Check spec.authOptions of the cluster, and that the Secret has the token with which Ray was started'
      : '';
  return `answers ${status}${hint}: ${excerpt(body)}`;
}

const LONGEST_EXCERPT = 500;

/** The end of a text: in a Python traceback, the error. */
function excerpt(body: unknown): string {
  const text = textOf(body).trim();
  return text.length > LONGEST_EXCERPT ? `…${text.slice(-LONGEST_EXCERPT)}` : text;
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body ?? '');
}
