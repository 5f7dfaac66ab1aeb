/**
 * The real Kueue as a process of this machine, beside the cluster's own: its CRDs, and its webhooks on loopback. It is built when it
 * is not there, which takes minutes.
 */
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BINARIES, ensureBinaries, moduleFolder, terminalProgress, type Cluster } from '@muster/cluster';
import { eventually } from '@muster/testing';
import { parseAllDocuments, stringify } from 'yaml';

export interface Kueue {
  /** What it wrote last. */
  log(): string;
  /** Starts it anew, looking after these kinds itself. */
  restart(integrations: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** A port that nothing else here has. */
const WEBHOOK_PORT = 29_443;
const PROBE_PORT = 29_081;

/** Where Kueue looks for them, whether it serves metrics or not: so this needs to be root. */
const METRICS_CERTIFICATES = '/etc/kueue/metrics/certs';

type Json = Record<string, unknown>;

const run = promisify(execFile);

export async function startKueue(cluster: Cluster, integrations: readonly string[]): Promise<Kueue> {
  const [program = ''] = await ensureBinaries(['kueue'], terminalProgress());
  const folder = join(cluster.stateDir, 'kueue');
  mkdirSync(folder, { recursive: true });
  const caBundle = await certificate(folder);
  await install(cluster, folder, caBundle);
  let lines: string[] = [];
  let end = async () => {};
  const start = async (frameworks: readonly string[]) => {
    const configuration = join(folder, 'configuration.yaml');
    writeFileSync(configuration, stringify(configurationOf(folder, frameworks)));
    const flags = [`--config=${configuration}`, '--feature-gates=VisibilityOnDemand=false'];
    const env = { ...process.env, KUBECONFIG: cluster.kubeconfig };
    const child = spawn(program, flags, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => (lines = [...lines, String(text)].slice(-40)));
    }
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    end = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`Kueue has ended: ${lines.join('')}`);
      return (await fetch(`http://127.0.0.1:${PROBE_PORT}/readyz`)).ok;
    };
    await eventually(isReady, { withinMs: 120_000, describe: () => `Kueue is ready; it says ${lines.join('')}` });
  };
  await start(integrations);
  return {
    log: () => lines.join(''),
    async restart(others) {
      await end();
      await start(others);
    },
    stop: () => end(),
  };
}

/** Self-signed: it is its own authority. Returns it as webhooks name it. */
async function certificate(folder: string): Promise<string> {
  const files = { key: join(folder, 'tls.key'), cert: join(folder, 'tls.crt') };
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const subject = ['-subj', '/CN=kueue', '-addext', 'subjectAltName=IP:127.0.0.1'];
  await run('openssl', ['req', ...kind, ...subject, '-keyout', files.key, '-out', files.cert]);
  mkdirSync(METRICS_CERTIFICATES, { recursive: true });
  copyFileSync(files.key, join(METRICS_CERTIFICATES, 'tls.key'));
  copyFileSync(files.cert, join(METRICS_CERTIFICATES, 'tls.crt'));
  return readFileSync(files.cert).toString('base64');
}

/** What the project publishes, without what runs it in the cluster; the API server finds its webhooks on loopback. */
async function install(cluster: Cluster, folder: string, caBundle: string): Promise<void> {
  const source = await moduleFolder(BINARIES.kueue);
  const kubectl = (...args: string[]) =>
    run(join(cluster.binDir, 'kubectl'), [`--kubeconfig=${cluster.kubeconfig}`, ...args], { maxBuffer: 1e8 });
  const { stdout } = await kubectl('kustomize', join(source, 'config/default'));
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Json);
  const kept = objects.filter(({ kind }) => APPLIED.has(String(kind)));
  const file = join(folder, 'kueue.yaml');
  writeFileSync(file, kept.map((object) => stringify(onLoopback(object, caBundle))).join('---\n'));
  await kubectl('apply', '--server-side', `--filename=${file}`);
  await kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
}

const APPLIED = new Set([
  'Namespace',
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

function onLoopback(object: Json, caBundle: string): unknown {
  const asked = JSON.stringify(object, (key, value: unknown) => {
    if (key !== 'clientConfig') return value;
    const { service } = value as { readonly service: { readonly path: string } };
    return { url: `https://127.0.0.1:${WEBHOOK_PORT}${service.path}`, caBundle };
  });
  return JSON.parse(asked);
}

function configurationOf(folder: string, frameworks: readonly string[]): object {
  return {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    health: { healthProbeBindAddress: `127.0.0.1:${PROBE_PORT}` },
    metrics: { bindAddress: '0' },
    webhook: { port: WEBHOOK_PORT, host: '127.0.0.1', certDir: folder },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
    integrations: { frameworks },
  };
}
