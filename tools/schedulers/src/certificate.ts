/** Certificates for webhooks on loopback. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@muster/cluster';

export interface Certificate {
  /** The folder with `tls.key` and `tls.crt`. */
  readonly folder: string;
  readonly keyFile: string;
  readonly certificateFile: string;
  /** In the form that webhooks contain. */
  readonly caBundle: string;
}

/** Self-signed: it is its own authority. Valid for a day. */
export async function loopbackCertificate(folder: string, name: string): Promise<Certificate> {
  mkdirSync(folder, { recursive: true });
  const [keyFile, certificateFile] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  await runCommand('openssl', ['req', ...kind, ...subject, '-keyout', keyFile, '-out', certificateFile]);
  return { folder, keyFile, certificateFile, caBundle: readFileSync(certificateFile).toString('base64') };
}
