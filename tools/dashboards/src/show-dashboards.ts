/** Brings up all that it takes to look at dashboards, and takes it down again. */
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
  /** 0: any that is free. */
  readonly port: number;
  readonly source: MetricsSource;
  /** Such as `5s`: how often operators are scraped. */
  readonly scrapeInterval: string;
  /** The path of Prometheus. Asked for only where one is to be started. */
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
  /** Base URL of the Prometheus that is shown. */
  readonly prometheusUrl: string;
  /** Rejects when something that it takes has ended by itself. */
  readonly failed: Promise<never>;
  /** Safe to repeat. */
  stop(): Promise<void>;
}

/** Throws a `DashboardsError` that says what to do. Whatever was started is stopped then. */
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
  /** When it was started, if it was for this command. */
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
    throw new DashboardsError(`Prometheus has ended; its log closes with:\n${lastLines}`);
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
        `No Prometheus answers at ${base} (${cause instanceof Error ? cause.message : message}): check the address, or leave out --prometheus and one is started.`,
      );
    },
  );
  const { status } = (await answer.json().catch(() => ({}))) as { status?: string };
  if (status !== 'success') {
    throw new DashboardsError(
      `${base} does not answer queries (${answer.status}): --prometheus takes the base URL of a Prometheus.`,
    );
  }
  return { url: base, failed: new Promise(() => undefined) };
}

/** The address at which Prometheus finds the operators of a cluster. */
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
        ? `No operators run in ${namespace === undefined ? 'this cluster' : `namespace ${namespace}`} yet: they are shown once the charts are installed. Operators that run elsewhere are named with --target.`
        : `Operators: ${found.map((each) => `${each.namespace}/${each.pod}`).join(', ')}`,
    );
    const gateway = await scrapeGateway(client, namespace);
    stops.push(() => gateway.close());
    return gateway.targetsUrl;
  } catch (error) {
    if (!(error instanceof CredentialError) && !isKubeError(error)) throw error;
    const advice = isKubeError(error, 'Forbidden')
      ? 'Pods have to be listed, and reached through the proxy of the API server (get pods/proxy): name the namespace of the operators with --namespace, or'
      : 'Name the cluster with --kubeconfig or KUBECONFIG, or';
    throw new DashboardsError(`${error.message}\n${advice} name operators with --target http://HOST:PORT.`, {
      cause: error,
    });
  }
}
