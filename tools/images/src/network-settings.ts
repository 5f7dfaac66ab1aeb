/** This machine's network settings, for programs that run inside an image while it is built. */
import { access, constants, readFile } from 'node:fs/promises';

import { runCommand } from '@muster/cluster';

/**
 * This machine's apt settings for downloads (proxies, retries, date checks), as text of an apt.conf file: apt inside the image needs them
 * to reach the mirror. Empty on a machine without apt.
 */
export async function aptFetchSettings(): Promise<string> {
  const { stdout } = await runCommand('apt-config', ['dump']).catch(() => ({ stdout: '' }));
  const lines = stdout.split('\n').filter((line) => /^Acquire::(Check-|Retries|ForceIPv4|https?::)/.test(line));
  return lines.map((line) => `${line}\n`).join('');
}

/** This machine's name resolution, as text of a resolv.conf; empty if it has none. */
export async function resolverSettings(): Promise<string> {
  return readFile('/etc/resolv.conf', 'utf8').catch(() => '');
}

/** The pip settings that determine the index and the connection; all others are ignored. */
const PIP_FETCH_SETTINGS = /^(index-url|extra-index-url|no-index|trusted-host|proxy|cert|timeout|retries)$/;

/** Usual files with the certificate authorities that a system trusts. */
const AUTHORITIES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

export interface PipFetchSettings {
  /** For the environment of a pip inside an image. */
  variables: Record<string, string>;
  /** File of this machine with the certificate authorities to trust. */
  certificates: string;
}

/**
 * This machine's pip settings for downloads: pip inside the image needs them to reach the package index. Empty on a machine without pip.
 */
export async function pipFetchSettings(env: NodeJS.ProcessEnv = process.env): Promise<PipFetchSettings> {
  const { stdout } = await runCommand('pip', ['config', 'list']).catch(() => ({ stdout: '' }));
  const { PIP_CERT, ...variables } = parsePipSettings(stdout);
  for (const file of [PIP_CERT, env['SSL_CERT_FILE'], ...AUTHORITIES]) {
    if (file !== undefined && file !== '' && (await isReadable(file))) return { variables, certificates: file };
  }
  throw new Error("this machine's certificate authorities were not found: set SSL_CERT_FILE to their file");
}

/**
 * Converts the output of `pip config list`, lines such as `global.index-url='…'` and `:env:.proxy='…'`, into environment variables. As with
 * pip, a command's section has precedence over the global one, and the environment over both.
 */
export function parsePipSettings(text: string): Record<string, string> {
  const settings = [...text.matchAll(/^([\w:-]+)\.([\w-]+)=(['"])(.*)\3$/gm)].map(
    ([, section = '', name = '', , value = '']) => ({ section, name, value }),
  );
  const inOrder = ['global', 'install', ':env:'].flatMap((section) =>
    settings.filter((setting) => setting.section === section && PIP_FETCH_SETTINGS.test(setting.name)),
  );
  // Several values of one setting are on separate lines, which pip prints escaped.
  return Object.fromEntries(
    inOrder.map(({ name, value }) => [
      `PIP_${name.toUpperCase().replaceAll('-', '_')}`,
      value.split('\\n').join(' ').trim(),
    ]),
  );
}

async function isReadable(file: string): Promise<boolean> {
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}
