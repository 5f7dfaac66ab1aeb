/** Serves the page, the dashboards, and Prometheus behind the same address, so that the browser asks nobody else. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dashboard } from '../model/dashboard.ts';
import type { PageSettings } from '../model/page-settings.ts';
import { listen, type LoopbackServer } from './listen.ts';
import { pageFiles } from './page-files.ts';

export interface DashboardsServerOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly dashboards: readonly Dashboard[];
  /** Base URL of a Prometheus. */
  readonly prometheusUrl: string;
  /** How often that scrapes. */
  readonly scrapeIntervalMs: number;
  /** Since when it has data, if that is known. */
  readonly sinceMs?: number | undefined;
}

/** What the page asks of Prometheus; nothing that changes anything. */
const READ_ONLY = /^\/api\/v1\/(?:query|query_range|series|targets|label\/\w+\/values)$/;

/** The page loads nothing from elsewhere, and runs no script but its own. */
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** Longer than Prometheus itself gives a query. */
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
    if (request.method !== 'GET') return { status: 405, type: 'text/plain', content: 'Only GET.\n' };
    if (pathname === '/api/settings') return json(settings);
    const asked = /^\/api\/dashboards\/([^/]+)$/.exec(pathname)?.[1];
    const dashboard = dashboards.find(({ uid }) => uid === asked);
    if (dashboard !== undefined) return json(dashboard);
    const query = /^\/prometheus(\/.*)$/.exec(pathname)?.[1] ?? '';
    if (READ_ONLY.test(query)) return fromPrometheus(`${prometheusUrl.replace(/\/$/, '')}${query}${search}`);
    const file = files.get(/^\/d\/[^/]+$/.test(pathname) ? '/' : pathname);
    return file ?? { status: 404, type: 'text/plain', content: 'There is nothing here.\n' };
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

/** Its answer as it is, an error too; an error in the same form where none came. */
async function fromPrometheus(url: string): Promise<Answer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(QUERY_LIMIT_MS) });
    const type = response.headers.get('content-type') ?? 'text/plain';
    return { status: response.status, type, content: await response.text() };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    const content = { status: 'error', errorType: 'unreachable', error: `Prometheus does not answer: ${reason}` };
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
