/** The real Kueue, with its CRDs, and its webhooks on loopback. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil, type Cluster } from '@muster/cluster';
import { stringify } from 'yaml';
import { loopbackCertificate } from './certificate.ts';
import { kubectlOf, publishedObjects, startProgram, type RunningProgram } from './program.ts';

export interface Kueue {
  /** The end of its output. */
  log(): string;
  /** Restarts it with these kinds managed by itself, and with these additional feature gates. */
  restart(integrations: readonly string[], featureGates?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** A port that no other program here uses. */
const WEBHOOK_PORT = 29_443;
const PROBE_PORT = 29_081;

/** Kueue reads certificates from here even if it serves no metrics, so this needs root. */
const METRICS_CERTIFICATES = '/etc/kueue/metrics/certs';

export async function startKueue(cluster: Cluster, integrations: readonly string[]): Promise<Kueue> {
  const folder = join(cluster.stateDir, 'kueue');
  const { keyFile, certificateFile, caBundle } = await loopbackCertificate(folder, 'kueue');
  mkdirSync(METRICS_CERTIFICATES, { recursive: true });
  copyFileSync(keyFile, join(METRICS_CERTIFICATES, 'tls.key'));
  copyFileSync(certificateFile, join(METRICS_CERTIFICATES, 'tls.crt'));
  await install(cluster, folder, caBundle);
  let kueue = await started(cluster, folder, integrations);
  return {
    log: () => kueue.log(),
    async restart(others, featureGates) {
      await kueue.stop();
      kueue = await started(cluster, folder, others, featureGates);
    },
    stop: () => kueue.stop(),
  };
}

async function started(
  { kubeconfig }: Cluster,
  folder: string,
  integrations: readonly string[],
  featureGates: readonly string[] = [],
): Promise<RunningProgram> {
  const configuration = join(folder, 'configuration.yaml');
  writeFileSync(configuration, stringify(configurationOf(folder, integrations)));
  const gates = ['VisibilityOnDemand=false', ...featureGates.map((name) => `${name}=true`)];
  const flags = [`--config=${configuration}`, `--feature-gates=${gates.join(',')}`];
  const kueue = await startProgram('kueue', flags, { KUBECONFIG: kubeconfig });
  await waitUntil(() => (kueue.hasEnded() ? undefined : unready(kueue)), {
    what: 'Kueue to be ready',
    limitMs: 120_000,
  });
  if (kueue.hasEnded()) throw new Error(`Kueue has ended: ${kueue.log()}`);
  return kueue;
}

async function unready(kueue: RunningProgram): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${PROBE_PORT}/readyz`).catch(() => undefined);
  return answer?.ok === true ? undefined : `its output: ${kueue.log()}`;
}

/** The files that the project publishes, without those that run it in the cluster; the API server calls its webhooks on loopback. */
async function install(cluster: Cluster, folder: string, caBundle: string): Promise<void> {
  const kubectl = kubectlOf(cluster);
  const objects = await publishedObjects(cluster, 'kueue', 'config/default');
  const kept = objects.filter(({ kind }) => APPLIED.has(kind));
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

function onLoopback(object: object, caBundle: string): unknown {
  const adapted = JSON.stringify(object, (key, value: unknown) => {
    if (key !== 'clientConfig') return value;
    const { service } = value as { readonly service: { readonly path: string } };
    return { url: `https://127.0.0.1:${WEBHOOK_PORT}${service.path}`, caBundle };
  });
  return JSON.parse(adapted);
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
