/** `muster dashboards`: the operators' metrics in a browser, without a monitoring stack. Ctrl-C stops it and everything that it started. */
import { ClusterError, InterruptedError, interruptSignal, terminalProgress } from '@muster/cluster';
import { ensurePrometheus } from '@muster/prometheus';
import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../model/duration.ts';
import { dashboardFiles } from './dashboard-files.ts';
import { DashboardsError } from './dashboards-error.ts';
import { type MetricsSource, showDashboards } from './show-dashboards.ts';

interface Options {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly asUid?: string;
  readonly namespace?: string;
  readonly target?: readonly URL[];
  readonly prometheus?: URL;
  readonly port: number;
  readonly scrapeInterval: string;
}

export function registerDashboardsCommand(program: Command): void {
  program
    .command('dashboards')
    .description(
      "Show Muster's dashboards in a browser until Ctrl-C. Starts a Prometheus on this machine that scrapes the operators of a cluster.",
    )
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: $KUBECONFIG or ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current context)')
    .option('--as <user>', 'user to impersonate')
    .option('--as-group <group>', 'group to impersonate with --as; can be repeated', addText)
    .option('--as-uid <uid>', 'UID to impersonate with --as')
    .option('-n, --namespace <name>', 'namespace of the operators (default: all namespaces)')
    .option(
      '--target <url>',
      'scrape the operator at this address instead of those of a cluster; can be repeated',
      addUrl,
    )
    .option(
      '--prometheus <url>',
      'use this Prometheus, which scrapes the operators already, instead of starting one',
      toUrl,
    )
    .option('--port <port>', 'port of the page on this machine (0: any free port)', toPort, 0)
    .option(
      '--scrape-interval <duration>',
      'time between scrapes; with --prometheus that of its configuration',
      toDuration,
      '5s',
    )
    .addHelpText(
      'after',
      `
Examples:
  muster dashboards
  muster dashboards --target http://127.0.0.1:8080
  muster dashboards --prometheus http://localhost:9090 --scrape-interval 30s`,
    )
    .action(run);
}

async function run(options: Options): Promise<void> {
  using interrupt = interruptSignal();
  const { signal } = interrupt;
  const progress = terminalProgress();
  try {
    const shown = await showDashboards({
      dashboards: await dashboardFiles(),
      port: options.port,
      source: sourceOf(options),
      scrapeInterval: options.scrapeInterval,
      prometheusProgram: async () => (await ensurePrometheus(progress, signal)).prometheus,
      progress,
      signal,
    });
    try {
      process.stdout.write(`${shown.url}\n`);
      progress.note('Open this address in a browser. Press Ctrl-C to stop.');
      await Promise.race([shown.failed, aborted(signal)]);
    } finally {
      await shown.stop();
    }
  } catch (error) {
    if (error instanceof InterruptedError) {
      process.exitCode = error.exitCode;
      return;
    }
    if (!(error instanceof DashboardsError) && !(error instanceof ClusterError)) throw error;
    process.stderr.write(`muster: ${error.message}\n`);
    process.exitCode = 1;
  }
}

function addText(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function sourceOf(options: Options): MetricsSource {
  const { prometheus, target, kubeconfig, context, namespace, as: user, asGroup: groups, asUid: uid } = options;
  if (prometheus !== undefined) return { kind: 'prometheus', url: prometheus };
  if (target !== undefined) return { kind: 'addresses', addresses: target };
  const impersonate = { ...(user && { user }), ...(groups && { groups }), ...(uid && { uid }) };
  const access = {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    impersonate,
  };
  return { kind: 'cluster', access, ...(namespace === undefined ? {} : { namespace }) };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}

function addUrl(text: string, before: readonly URL[] = []): readonly URL[] {
  return [...before, toUrl(text)];
}

function toUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError('It must be a URL such as http://127.0.0.1:9090.');
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

function toDuration(text: string): string {
  if ((parseDuration(text) ?? 0) > 0) return text;
  throw new InvalidArgumentError('It must be a duration such as 5s or 1m.');
}
