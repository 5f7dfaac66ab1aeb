/**
 * What is asked of Ray's dashboard about one job, what it is told, and what its answers mean. Ray has no other interface for
 * jobs. Seen of Ray 2.60: an unknown job is 404, without a token 401, with a wrong one 403; a request that the job's agent refuses, such
 * as an id that is taken, is 500 with the agent's `status code 400` in its text.
 */
import type { RayJobStatusWord } from './ray-job-status.ts';
import { RAY_JOB_STATUSES } from './ray-job-status.ts';

/** A request as data; `path` begins with a slash and goes behind the dashboard's address. */
export interface DashboardCall {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** To be sent as JSON. */
  readonly body?: object;
}

/** What a job is started with. Undefined fields are left out of the request. */
export interface RayJobSubmission {
  readonly entrypoint: string;
  readonly submission_id: string;
  readonly runtime_env?: object;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly entrypoint_num_cpus?: number;
  readonly entrypoint_num_gpus?: number;
  readonly entrypoint_resources?: Readonly<Record<string, number>>;
}

/** How the job is doing. */
export function jobQuestion(jobId: string): DashboardCall {
  return { path: jobPath(jobId), method: 'GET' };
}

/**
 * Whether a node of the cluster is alive. With fault tolerance Ray says for ever of a job that it runs when the node of its
 * driver went with the head.
 */
export function nodeQuestion(nodeId: string): DashboardCall {
  const filter = new URLSearchParams({ filter_keys: 'node_id', filter_predicates: '=', filter_values: nodeId });
  return { path: `/api/v0/nodes?${filter.toString()}`, method: 'GET' };
}

/** Safe to say twice: Ray refuses an id that is taken. */
export function submitCall(submission: RayJobSubmission): DashboardCall {
  return { path: '/api/jobs/', method: 'POST', body: submission };
}

/** Safe to say twice, and of a job that has ended. */
export function stopCall(jobId: string): DashboardCall {
  return { path: `${jobPath(jobId)}/stop`, method: 'POST', body: {} };
}

/** Which session of Ray answers: each start of a head without fault tolerance is another, which knows nothing of former jobs. */
export function sessionQuestion(): DashboardCall {
  return { path: '/api/version', method: 'GET' };
}

function jobPath(jobId: string): string {
  return `/api/jobs/${encodeURIComponent(jobId)}`;
}

/**
 * The headers by which a cluster with a token lets a call in. Not `Authorization`, which an API server that passes the call on
 * takes for its own.
 */
export function tokenHeaders(token: string): Readonly<Record<string, string>> {
  return { 'x-ray-authorization': `Bearer ${token}` };
}

/** An HTTP answer, or why there is none. */
export interface DashboardReply {
  readonly answer?: { readonly status: number; readonly body: unknown };
  /** Why the newest try got no answer; undefined when it did. */
  readonly problem?: string;
  /** How often in a row none came. */
  readonly failures: number;
  /** How long ago `answer` came, in milliseconds. */
  readonly ageMs?: number;
  /** How long ago it was asked for the first time. */
  readonly askedForMs?: number;
}

/** What the dashboard says of a job. */
export type DashboardAnswer =
  | {
      readonly kind: 'Job';
      readonly status: RayJobStatusWord;
      readonly message: string;
      readonly startMs?: number;
      readonly endMs?: number;
      /** Ray's id of the node on which the entrypoint runs; undefined before it does. */
      readonly driverNode?: string;
    }
  /** Ray knows no such job. */
  | { readonly kind: 'NotFound'; readonly ageMs: number }
  /** Nothing that says how the job is doing: no answer, or a refusal. */
  | {
      readonly kind: 'Silent';
      readonly problem: string;
      readonly failures: number;
      /** For how long the question has been asked. */
      readonly askedForMs: number;
    };

/** Undefined while nothing has been asked. */
export function readJobReply(reply: DashboardReply | undefined): DashboardAnswer | undefined {
  if (reply === undefined) return undefined;
  const { answer, problem, failures, ageMs = 0, askedForMs = 0 } = reply;
  if (problem !== undefined) return { kind: 'Silent', problem, failures, askedForMs };
  if (answer === undefined) return undefined;
  const { status, body } = answer;
  if (status === 200) {
    return jobOf(body) ?? silent(`answers something else than a job: ${excerpt(body)}`, askedForMs);
  }
  if (status === 404 && !isFromApiServer(body)) return { kind: 'NotFound', ageMs };
  return silent(refusal(status, body), askedForMs);
}

/** Of a refusal there is no count of tries: it is an answer. */
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

/** The session of Ray that answers; undefined while it is not known yet, empty when it cannot be known now. */
export function readSessionReply(reply: DashboardReply | undefined): string | undefined {
  if (reply?.problem !== undefined) return '';
  if (reply?.answer === undefined) return undefined;
  const { session_name } = Object(reply.answer.body) as { session_name?: unknown };
  return typeof session_name === 'string' ? session_name : '';
}

/** Whether Ray says that the node is dead; not, where it says nothing of it. */
export function isNodeDead(reply: DashboardReply | undefined): boolean {
  if (reply?.problem !== undefined || reply?.answer?.status !== 200) return false;
  const { data } = Object(reply.answer.body) as { data?: { result?: { result?: { state?: unknown }[] } } };
  return data?.result?.result?.[0]?.state === 'DEAD';
}

/** Milliseconds since the epoch; 0 is Go's word for none. */
function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

/** A Service that is not there, or has no endpoints, when the API server passes the call on: Ray was not asked. */
function isFromApiServer(body: unknown): boolean {
  return (Object(body) as { kind?: unknown }).kind === 'Status';
}

/** What came of the submission of a job. */
export type SubmissionAnswer =
  | { readonly kind: 'Accepted'; readonly ageMs: number }
  /** It will not be accepted as it is. */
  | { readonly kind: 'Refused'; readonly problem: string }
  /** It may be accepted later. */
  | { readonly kind: 'Unanswered'; readonly problem: string };

/** Undefined while nothing has been submitted. An id that is taken counts as accepted: the job is asked for next. */
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

/** What came of the request to stop a job. */
export type StopAnswer =
  /** It does not run any more. */
  | { readonly kind: 'Stopped' }
  /** Ray knows no such job. */
  | { readonly kind: 'NotFound' }
  | { readonly kind: 'Unanswered'; readonly problem: string };

/** Undefined while nothing has been asked. */
export function readStopReply(reply: DashboardReply | undefined): StopAnswer | undefined {
  if (reply?.problem !== undefined) return { kind: 'Unanswered', problem: reply.problem };
  if (reply?.answer === undefined) return undefined;
  const { status, body } = reply.answer;
  if (status === 200) return { kind: 'Stopped' };
  if (status === 404 && !isFromApiServer(body)) return { kind: 'NotFound' };
  return { kind: 'Unanswered', problem: `The dashboard ${refusal(status, body)}` };
}

function refusal(status: number, body: unknown): string {
  const hint =
    status === 401 || status === 403
      ? ": it asks for a token. See spec.authOptions of the cluster, and whether the Secret's token is the one that Ray was started with"
      : '';
  return `answers ${status}${hint}: ${excerpt(body)}`;
}

const LONGEST_EXCERPT = 500;

/** The end of a text: of a Python traceback, the error. */
function excerpt(body: unknown): string {
  const text = textOf(body).trim();
  return text.length > LONGEST_EXCERPT ? `…${text.slice(-LONGEST_EXCERPT)}` : text;
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body ?? '');
}
