/**
 * The REST API of Ray Serve at the dashboard: applications of a config, and the config itself. Before Serve is started the
 * list is empty. A config replaces all applications of earlier configs.
 */
import { refusal, type DashboardCall, type DashboardReply } from '../job/dashboard.ts';
import { serveMessage } from './serve-message.ts';

/** Without applications of `serve.run`, which belong to no config. */
export function applicationsCall(): DashboardCall {
  return { path: '/api/serve/applications/?api_type=declarative', method: 'GET' };
}

/**
 * May be repeated: an equal config restarts no replica, but each application is DEPLOYING until it is checked again. The
 * first one starts Ray Serve.
 */
export function deployCall(config: object): DashboardCall {
  return { path: '/api/serve/applications/', method: 'PUT', body: config };
}

interface ServeStatus {
  readonly status: string;
  readonly message: string;
}

export interface ServeDeployment extends ServeStatus {
  /** Undefined in answers without them. */
  readonly replicas?: ServeReplicas;
}

export interface ServeReplicas {
  readonly running: number;
  readonly wanted: number;
  /** Of the replicas that do not run, each once: STARTING, UPDATING, STOPPING, … */
  readonly states: readonly string[];
}

export interface ServeApplication extends ServeStatus {
  readonly deployments: Readonly<Record<string, ServeDeployment>>;
}

export type ServeAnswer =
  | { readonly kind: 'Applications'; readonly applications: Readonly<Record<string, ServeApplication>> }
  | { readonly kind: 'Silent'; readonly problem: string };

/** Undefined before the first request. */
export function readApplications(reply: DashboardReply | undefined): ServeAnswer | undefined {
  if (reply?.problem !== undefined) return { kind: 'Silent', problem: reply.problem };
  if (reply?.answer === undefined) return undefined;
  const { status, body } = reply.answer;
  if (status !== 200) return { kind: 'Silent', problem: `the dashboard ${refusal(status, body)}` };
  const { applications } = Object(body) as { applications?: unknown };
  if (typeof applications !== 'object') {
    return { kind: 'Silent', problem: 'the dashboard did not return applications of Ray Serve' };
  }
  const entries = Object.entries(applications ?? {}).map(
    ([name, application]) => [name === '' ? 'default' : name, applicationOf(application)] as const,
  );
  return { kind: 'Applications', applications: Object.fromEntries(entries) };
}

export type DeployAnswer =
  | { readonly kind: 'Accepted' }
  /** It will not be accepted as it is. */
  | { readonly kind: 'Refused'; readonly problem: string }
  /** It may be accepted later. */
  | { readonly kind: 'Unanswered'; readonly problem: string };

/** Undefined before the request. */
export function readDeployment(reply: DashboardReply | undefined): DeployAnswer | undefined {
  if (reply?.problem !== undefined) return { kind: 'Unanswered', problem: reply.problem };
  if (reply?.answer === undefined) return undefined;
  const { status, body } = reply.answer;
  if (status === 200) return { kind: 'Accepted' };
  if (status === 501) {
    return { kind: 'Refused', problem: 'the image has no Ray Serve: install ray[serve] in it' };
  }
  if (status === 400 && typeof body === 'string') return { kind: 'Refused', problem: serveMessage(body) };
  const kind = status === 400 || status === 422 ? 'Refused' : 'Unanswered';
  return { kind, problem: `the dashboard ${refusal(status, body)}` };
}

function applicationOf(value: unknown): ServeApplication {
  const { deployments } = Object(value) as { deployments?: unknown };
  const entries = Object.entries(Object(deployments) as object).map(
    ([name, each]) => [name, deploymentOf(each)] as const,
  );
  return { ...stateOf(value), deployments: Object.fromEntries(entries) };
}

function deploymentOf(value: unknown): ServeDeployment {
  const { replicas, target_num_replicas: wanted } = Object(value) as Record<string, unknown>;
  if (!Array.isArray(replicas) || typeof wanted !== 'number') return stateOf(value);
  const states = replicas.map((replica) => String((Object(replica) as { state?: unknown }).state));
  const others = states.filter((state) => state !== 'RUNNING');
  return {
    ...stateOf(value),
    replicas: { running: states.length - others.length, wanted, states: [...new Set(others)].sort() },
  };
}

function stateOf(value: unknown): ServeStatus {
  const { status, message } = Object(value) as { status?: unknown; message?: unknown };
  return { status: typeof status === 'string' ? status : '', message: typeof message === 'string' ? message : '' };
}
