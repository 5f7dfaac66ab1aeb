import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desiredKubeconfig } from './kubeconfig.ts';
import { CertificateAuthority, type KeyPair } from './pki.ts';

describe('pki', () => {
  let folder: string;
  let authority: CertificateAuthority;
  let pair: KeyPair;
  let certificate: X509Certificate;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-pki-'));
    authority = await CertificateAuthority.create(join(folder, 'pki'), 'ca');
    const subject = { commonName: 'system:node:one', organization: 'system:nodes', hosts: ['localhost', '10.213.0.2'] };
    pair = await authority.issue('node', subject);
    certificate = new X509Certificate(readFileSync(pair.certificate));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('issues certificates that the authority signed', () => {
    const issuer = new X509Certificate(readFileSync(authority.certificate));
    expect(issuer.ca).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(issuer.publicKey)).toBe(true);
  });

  it('names the user, the group and every host', () => {
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:one');
    expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:10.213.0.2');
  });

  it('keeps keys and their folder from other users', () => {
    expect(statSync(pair.key).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'pki')).mode & 0o777).toBe(0o700);
  });
});

describe('kubeconfig', () => {
  it('is self-contained and verifies the server', () => {
    const source = { clusterName: 'one', server: 'https://127.0.0.1:3', authority: 'A', certificate: 'B', key: 'C' };
    expect(desiredKubeconfig(source)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'one', cluster: { server: 'https://127.0.0.1:3', 'certificate-authority-data': 'QQ==' } }],
      users: [{ name: 'one', user: { 'client-certificate-data': 'Qg==', 'client-key-data': 'Qw==' } }],
      contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
      'current-context': 'one',
    });
  });
});
