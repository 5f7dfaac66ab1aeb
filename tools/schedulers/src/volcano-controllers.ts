/** Volcano's controller manager, which runs Jobs, and its webhooks, which validate them and set defaults. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { waitUntil, type Cluster } from '@muster/cluster';
import { loopbackCertificate } from './certificate.ts';
import { installCrdsOf, kubectlOf, startProgram, type RunningProgram } from './program.ts';

/** A port that no other program here uses. */
const WEBHOOK_PORT = 29_444;

/** Volcano's own CRDs of Jobs and Commands. */
export function installVolcanoJobs(cluster: Cluster): Promise<void> {
  const names = ['batch.volcano.sh_cronjobs', 'batch.volcano.sh_jobs', 'bus.volcano.sh_commands'];
  return installCrdsOf(cluster, 'vc-controller-manager', 'config/crd/volcano/bases', names);
}

/** Needs a cluster in which Volcano's scheduler runs. */
export async function startVolcanoControllers(cluster: Cluster): Promise<RunningProgram> {
  await installVolcanoJobs(cluster);
  const webhooks = await startWebhooks(cluster);
  const controllers = await startProgram('vc-controller-manager', [
    `--kubeconfig=${cluster.kubeconfig}`,
    '--leader-elect=false',
    '--scheduler-name=volcano',
    '--controllers=job-controller,queue-controller,gc-controller,pg-controller',
  ]);
  return {
    log: () => `webhooks: ${webhooks.log()}\ncontrollers: ${controllers.log()}`,
    hasEnded: () => webhooks.hasEnded() || controllers.hasEnded(),
    async stop() {
      await Promise.all([webhooks.stop(), controllers.stop()]);
    },
  };
}

async function startWebhooks(cluster: Cluster): Promise<RunningProgram> {
  const folder = join(cluster.stateDir, 'volcano-webhooks');
  const { keyFile, certificateFile, caBundle } = await loopbackCertificate(folder, 'volcano');
  const admission = join(folder, 'admission.yaml');
  writeFileSync(admission, '{}\n');
  const file = join(folder, 'webhooks.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: configurations(caBundle) }));
  await kubectlOf(cluster)('apply', '--server-side', '--force-conflicts', `--filename=${file}`);
  const webhooks = await startProgram('vc-webhook-manager', [
    `--kubeconfig=${cluster.kubeconfig}`,
    '--enabled-admission=/jobs/mutate,/jobs/validate',
    `--tls-cert-file=${certificateFile}`,
    `--tls-private-key-file=${keyFile}`,
    `--ca-cert-file=${certificateFile}`,
    `--admission-conf=${admission}`,
    '--listen-address=127.0.0.1',
    `--port=${WEBHOOK_PORT}`,
    `--webhook-url=https://127.0.0.1:${WEBHOOK_PORT}`,
  ]);
  const missing = () =>
    isListening().then((is) => (is || webhooks.hasEnded() ? undefined : `their output: ${webhooks.log()}`));
  await waitUntil(missing, { what: "Volcano's webhooks to listen", limitMs: 60_000 });
  if (webhooks.hasEnded()) throw new Error(`Volcano's webhooks have ended: ${webhooks.log()}`);
  return webhooks;
}

/** Any response counts: this process does not know its certificate. */
function isListening(): Promise<boolean> {
  const socket = connect(WEBHOOK_PORT, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

function configurations(caBundle: string): object[] {
  const webhook = (path: string, operations: readonly string[]) => ({
    name: `${path.slice(1).replace('/', '-')}.volcano.sh`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'NoneOnDryRun',
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    clientConfig: { url: `https://127.0.0.1:${WEBHOOK_PORT}${path}`, caBundle },
    rules: [{ apiGroups: ['batch.volcano.sh'], apiVersions: ['v1alpha1'], resources: ['jobs'], operations }],
  });
  // Volcano looks for them by these names.
  const configuration = (kind: string, path: string, operations: readonly string[]) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: `volcano-admission-service${path.replaceAll('/', '-')}` },
    webhooks: [webhook(path, operations)],
  });
  return [
    configuration('MutatingWebhookConfiguration', '/jobs/mutate', ['CREATE']),
    configuration('ValidatingWebhookConfiguration', '/jobs/validate', ['CREATE', 'UPDATE']),
  ];
}
