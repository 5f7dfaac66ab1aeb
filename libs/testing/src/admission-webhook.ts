/** An admission webhook on loopback that denies all matching requests in one namespace. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubeObject, Resource } from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';

export interface AdmissionWebhook extends AsyncDisposable {
  /** Stops answering; it stays registered at the API server. */
  goDown(): Promise<void>;
  remove(): Promise<void>;
}

const WEBHOOKS: Resource<KubeObject & { webhooks?: object[] }> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};

/** @param rule as in `ValidatingWebhookConfiguration` @param message of the denial, with code 403 */
export async function admissionWebhook(
  client: ClusterClient,
  { namespace, rule, message }: { readonly namespace: string; readonly rule: object; readonly message: string },
): Promise<AdmissionWebhook> {
  const { key, cert } = await loopbackCertificate();
  const server = createServer({ key, cert }, (request, response) => {
    void readText(request).then((text) => {
      const { request: review } = JSON.parse(text) as { request: { uid: string } };
      const denial = { uid: review.uid, allowed: false, status: { code: 403, message } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: denial }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const name = `denies-${randomUUID().slice(0, 8)}.muster.dev`;
  await client.create(WEBHOOKS, {
    metadata: { name },
    webhooks: [
      {
        name,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 10,
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(cert).toString('base64') },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [rule],
      },
    ],
  });
  let isThere = true;
  const goDown = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  const remove = async () => {
    if (isThere) await client.delete(WEBHOOKS, { name });
    isThere = false;
  };
  return {
    goDown,
    remove,
    async [Symbol.asyncDispose]() {
      await remove();
      await goDown();
    },
  };
}

/** Self-signed: it is its own authority. */
async function loopbackCertificate(): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'admission-webhook-'));
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const subject = ['-subj', '/CN=admission-webhook', '-addext', 'subjectAltName=IP:127.0.0.1'];
  try {
    await promisify(execFile)('openssl', ['req', ...kind, ...subject, '-keyout', files.key, '-out', files.cert]);
    return { key: await readFile(files.key, 'utf8'), cert: await readFile(files.cert, 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readText(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
