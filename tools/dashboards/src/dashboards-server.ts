/** Serves the page, the dashboards, and queries to Prometheus under one address. The browser sends requests to no other server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dashboard } from '../model/dashboard.ts';
import type { PageSettings } from '../model/page-settings.ts';
import { listen, type LoopbackServer } from './listen.ts';
import { pageFiles } from './page-files.ts';

export interface DashboardsServerOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly dashboards: readonly Dashboard[];
  /** Base URL of a Prometheus. */
  readonly prometheusUrl: string;
  /** Time between its scrapes. */
  readonly scrapeIntervalMs: number;
  /** Time of its first data, if known. */
  readonly sinceMs?: number | undefined;
}

/** The requests of the page to Prometheus, which are read-only. */
const READ_ONLY = /^\/api\/v1\/(?:query|query_range|series|targets|label\/\w+\/values)$/;

/** The page loads nothing from other servers, and runs only its own script. */
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** Longer than the query timeout of Prometheus. */
const QUERY_LIMIT_MS = 150_000;

interface Answer {
  readonly status?: number;
  readonly type: string;
  readonly content: string;
}

export async function dashboardsServer(options: DashboardsServerOptions): Promise<LoopbackServer> {
  const files = await pageFiles();
  const { dashboards, scrapeIntervalMs, sinceMs, prometheusUrl } = options;
  const settings: PageSettings = {
    scrapeIntervalMs,
    ...(sinceMs !== undefined && { sinceMs }),
    dashboards: dashboards.map(({ uid, title, description = '', tags = [] }) => ({ uid, title, description, tags })),
  };
  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method !== 'GET') return { status: 405, type: 'text/plain', content: 'Only GET is allowed.\n' };
    if (pathname === '/api/settings') return json(settings);
    const requested = /^\/api\/dashboards\/([^/]+)$/.exec(pathname)?.[1];
    const dashboard = dashboards.find(({ uid }) => uid === requested);
    if (dashboard !== undefined) return json(dashboard);
    const query = /^\/prometheus(\/.*)$/.exec(pathname)?.[1] ?? '';
    if (READ_ONLY.test(query)) return fromPrometheus(`${prometheusUrl.replace(/\/$/, '')}${query}${search}`);
    const file = files.get(/^\/d\/[^/]+$/.test(pathname) ? '/' : pathname);
    return file ?? { status: 404, type: 'text/plain', content: 'Not found.\n' };
  }
  return listen(options.port, (request, response) => {
    answer(request).then(
      (answered) => send(response, answered),
      (error: unknown) => send(response, { status: 500, type: 'text/plain', content: `${String(error)}\n` }),
    );
  });
}

function json(value: unknown): Answer {
  return { type: 'application/json', content: JSON.stringify(value) };
}

/** Returns the response of Prometheus unchanged; without one, an error in the same format. */
async function fromPrometheus(url: string): Promise<Answer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(QUERY_LIMIT_MS) });
    const type = response.headers.get('content-type') ?? 'text/plain';
    return { status: response.status, type, content: await response.text() };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    const content = { status: 'error', errorType: 'unreachable', error: `Prometheus does not respond: ${reason}` };
    return { ...json(content), status: 502 };
  }
}

function send(response: ServerResponse, { status = 200, type, content }: Answer): void {
  response
    .writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
    })
    .end(content);
}
