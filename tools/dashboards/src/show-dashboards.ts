/** Starts Prometheus and the server of the page, and stops them. */
import { type Progress } from '@muster/cluster';
import { createKubeClient, CredentialError, isKubeError, loadCluster, type LoadClusterOptions } from '@muster/kube';
import { startPrometheus, type PrometheusProcess } from '@muster/prometheus';
import type { Dashboard } from '../model/dashboard.ts';
import { parseDuration } from '../model/duration.ts';
import { DashboardsError } from './dashboards-error.ts';
import { dashboardsServer } from './dashboards-server.ts';
import { operatorPods } from './operator-pods.ts';
import { prometheusConfig } from './prometheus-config.ts';
import { scrapeGateway } from './scrape-gateway.ts';

export interface ShowDashboardsOptions {
  readonly dashboards: readonly Dashboard[];
  /** 0: any free port. */
  readonly port: number;
  readonly source: MetricsSource;
  /** Time between scrapes, such as `5s`. */
  readonly scrapeInterval: string;
  /** Path of Prometheus. Called only if one is started. */
  readonly prometheusProgram: () => Promise<string>;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export type MetricsSource =
  | { readonly kind: 'prometheus'; readonly url: URL }
  | { readonly kind: 'addresses'; readonly addresses: readonly URL[] }
  | { readonly kind: 'cluster'; readonly access: LoadClusterOptions; readonly namespace?: string };

export interface ShownDashboards {
  readonly url: string;
  /** Base URL of Prometheus. */
  readonly prometheusUrl: string;
  /** Rejects when Prometheus ends unexpectedly. */
  readonly failed: Promise<never>;
  /** Safe to repeat. */
  stop(): Promise<void>;
}

/** Throws a `DashboardsError` with advice, and stops everything that it started. */
export async function showDashboards(options: ShowDashboardsOptions): Promise<ShownDashboards> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let each = stops.pop(); each !== undefined; each = stops.pop()) await each();
  };
  try {
    const prometheus = await prometheusOf(options, stops);
    const { dashboards, port, scrapeInterval } = options;
    const scrapeIntervalMs = parseDuration(scrapeInterval) ?? 0;
    const { url: prometheusUrl, sinceMs } = prometheus;
    const server = await dashboardsServer({ dashboards, port, prometheusUrl, scrapeIntervalMs, sinceMs });
    stops.push(() => server.close());
    return { url: server.url, prometheusUrl: prometheus.url, failed: prometheus.failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface RunningPrometheus {
  readonly url: string;
  readonly failed: Promise<never>;
  /** Start time, if this command started it. */
  readonly sinceMs?: number;
}

async function prometheusOf(
  options: ShowDashboardsOptions,
  stops: (() => Promise<void>)[],
): Promise<RunningPrometheus> {
  const { source, scrapeInterval, signal, progress } = options;
  if (source.kind === 'prometheus') return existingPrometheus(source.url);
  const program = await options.prometheusProgram();
  const targetsUrl = source.kind === 'cluster' ? await gatewayTo(source, options, stops) : undefined;
  const addresses = source.kind === 'addresses' ? source.addresses : [];
  const config = prometheusConfig({ addresses, targetsUrl, scrapeInterval });
  const sinceMs = Date.now();
  const process = await progress.step('Starting Prometheus', () => started(program, config, signal));
  stops.push(() => process.stop());
  const failed = process.ended.then((lastLines) => {
    throw new DashboardsError(`Prometheus ended unexpectedly. Last lines of its log:\n${lastLines}`);
  });
  failed.catch(() => undefined);
  return { url: process.url, failed, sinceMs };
}

async function started(program: string, config: string, signal: AbortSignal): Promise<PrometheusProcess> {
  try {
    return await startPrometheus(program, config, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new DashboardsError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

async function existingPrometheus(url: URL): Promise<RunningPrometheus> {
  const base = url.href.replace(/\/$/, '');
  const answer = await fetch(`${base}/api/v1/query?query=1`, { signal: AbortSignal.timeout(10_000) }).catch(
    (error: unknown) => {
      const { message, cause } = error as Error;
      throw new DashboardsError(
        `No Prometheus responds at ${base} (${cause instanceof Error ? cause.message : message}): check the address, or omit --prometheus to start one.`,
      );
    },
  );
  const { status } = (await answer.json().catch(() => ({}))) as { status?: string };
  if (status !== 'success') {
    throw new DashboardsError(
      `${base} does not serve the API of Prometheus (status ${answer.status}): set --prometheus to the base URL of a Prometheus.`,
    );
  }
  return { url: base, failed: new Promise(() => undefined) };
}

/** URL at which Prometheus discovers the operators of a cluster. */
async function gatewayTo(
  { access, namespace }: Extract<MetricsSource, { kind: 'cluster' }>,
  { progress }: ShowDashboardsOptions,
  stops: (() => Promise<void>)[],
): Promise<string> {
  try {
    const cluster = await loadCluster(access);
    const client = createKubeClient(cluster, { userAgent: 'muster-dashboards' });
    stops.push(() => client.close());
    const found = await operatorPods(client, namespace);
    progress.note(
      found.length === 0
        ? `No operators run in ${namespace === undefined ? 'this cluster' : `namespace ${namespace}`} yet. They are shown once the charts are installed. For operators outside the cluster, use --target.`
        : `Operators: ${found.map((each) => `${each.namespace}/${each.pod}`).join(', ')}`,
    );
    const gateway = await scrapeGateway(client, namespace);
    stops.push(() => gateway.close());
    return gateway.targetsUrl;
  } catch (error) {
    if (!(error instanceof CredentialError) && !isKubeError(error)) throw error;
    const advice = isKubeError(error, 'Forbidden')
      ? 'The permissions to list pods and to get pods/proxy are needed. Set --namespace to the namespace of the operators, or'
      : 'Set --kubeconfig or KUBECONFIG to the kubeconfig of the cluster, or';
    throw new DashboardsError(`${error.message}\n${advice} name operators with --target http://HOST:PORT.`, {
      cause: error,
    });
  }
}
