/**
 * The cluster's keys and certificates, created at every start with the openssl command. Three authorities are separate: the cluster's own,
 * the one for etcd (otherwise any node could write there) and the one for the front proxy of aggregated API servers. Keys are
 * elliptic-curve ones, which are created fast.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from '../cluster-error.ts';
import { runCommand } from '../run-command.ts';

export interface KeyPair {
  certificate: string;
  key: string;
}

export interface CertificateSubject {
  commonName: string;
  /** The organization, which Kubernetes uses as the user's group. */
  organization?: string;
  /** Host names and addresses the certificate is valid for. */
  hosts?: readonly string[];
}

const VALID_DAYS = '3650';

/** Throws a ClusterError if there is no openssl command. */
export async function checkOpenssl(): Promise<void> {
  try {
    await runCommand('openssl', ['version']);
  } catch (error) {
    throw new ClusterError(
      'The openssl command is needed to make the cluster\'s certificates: install the package "openssl".',
      { cause: error },
    );
  }
}

/** A certificate authority whose files are in one folder, readable only by its owner. */
export class CertificateAuthority {
  readonly certificate: string;
  readonly #folder: string;
  readonly #key: string;

  private constructor(folder: string, certificate: string, key: string) {
    this.#folder = folder;
    this.certificate = certificate;
    this.#key = key;
  }

  /** The authority's own key, for the controller that signs certificate requests. */
  get keyFile(): string {
    return this.#key;
  }

  static async create(folder: string, name: string): Promise<CertificateAuthority> {
    const key = writeKey(folder, name);
    const certificate = join(folder, `${name}.crt`);
    const config = join(folder, `${name}.cnf`);
    writeFileSync(config, opensslConfig({ commonName: `muster-${name}` }, AUTHORITY_EXTENSIONS));
    await runCommand('openssl', [
      'req',
      '-x509',
      '-new',
      '-sha256',
      '-days',
      VALID_DAYS,
      '-config',
      config,
      '-key',
      key,
      '-out',
      certificate,
    ]);
    return new CertificateAuthority(folder, certificate, key);
  }

  /** Issues a certificate for both client and server authentication. */
  async issue(name: string, subject: CertificateSubject): Promise<KeyPair> {
    const key = writeKey(this.#folder, name);
    const certificate = join(this.#folder, `${name}.crt`);
    const config = join(this.#folder, `${name}.cnf`);
    writeFileSync(config, opensslConfig(subject, leafExtensions(subject.hosts ?? [])));
    const request = await runCommand('openssl', ['req', '-new', '-sha256', '-config', config, '-key', key]);
    const serial = `0x01${randomBytes(15).toString('hex')}`;
    const signing = [
      '-CA',
      this.certificate,
      '-CAkey',
      this.#key,
      '-set_serial',
      serial,
      '-days',
      VALID_DAYS,
      '-sha256',
    ];
    await runCommand(
      'openssl',
      ['x509', '-req', ...signing, '-extfile', config, '-extensions', 'extensions', '-out', certificate],
      {
        input: request.stdout,
      },
    );
    return { certificate, key };
  }
}

/** The key pair that signs ServiceAccount tokens. */
export function writeServiceAccountKeys(folder: string): { publicKey: string; privateKey: string } {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [publicKey, privateKey] = [join(folder, 'service-account.pub'), join(folder, 'service-account.key')];
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(publicKey, pair.publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(privateKey, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return { publicKey, privateKey };
}

const AUTHORITY_EXTENSIONS = [
  'basicConstraints = critical, CA:TRUE',
  'keyUsage = critical, keyCertSign, cRLSign',
  'subjectKeyIdentifier = hash',
];

function leafExtensions(hosts: readonly string[]): string[] {
  const names = hosts.map((host) => (/^[\d.]+$|:/.test(host) ? `IP:${host}` : `DNS:${host}`));
  return [
    'basicConstraints = critical, CA:FALSE',
    'keyUsage = critical, digitalSignature',
    'extendedKeyUsage = serverAuth, clientAuth',
    ...(names.length === 0 ? [] : [`subjectAltName = ${names.join(', ')}`]),
  ];
}

function opensslConfig(subject: CertificateSubject, extensions: readonly string[]): string {
  return [
    '[req]',
    'prompt = no',
    'distinguished_name = subject',
    'x509_extensions = extensions',
    '[subject]',
    ...(subject.organization === undefined ? [] : [`O = ${subject.organization}`]),
    `CN = ${subject.commonName}`,
    '[extensions]',
    ...extensions,
    '',
  ].join('\n');
}

function writeKey(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${name}.key`);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return file;
}
