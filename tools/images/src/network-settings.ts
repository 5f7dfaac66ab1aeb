/** How this machine reaches the network, for programs that run inside an image while it is built. */
import { access, constants, readFile } from 'node:fs/promises';

import { runCommand } from '@muster/cluster';

/**
 * This machine's apt settings on how to fetch (proxies, retries, date checks), as text of an apt.conf file: what the
 * machine needs to reach its mirror, apt inside the image needs too. Empty on a machine without apt.
 */
export async function aptFetchSettings(): Promise<string> {
  const { stdout } = await runCommand('apt-config', ['dump']).catch(() => ({ stdout: '' }));
  const lines = stdout.split('\n').filter((line) => /^Acquire::(Check-|Retries|ForceIPv4|https?::)/.test(line));
  return lines.map((line) => `${line}\n`).join('');
}

/** This machine's name resolution, as text of a resolv.conf; empty where it has none. */
export async function resolverSettings(): Promise<string> {
  return readFile('/etc/resolv.conf', 'utf8').catch(() => '');
}

/** The settings by which pip decides where to look and how to get there; all others stay this machine's own. */
const PIP_FETCH_SETTINGS = /^(index-url|extra-index-url|no-index|trusted-host|proxy|cert|timeout|retries)$/;

/** Where systems keep the certificate authorities that they trust, in one file. */
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
 * This machine's pip settings on how to fetch: what it needs to reach its package index, pip inside the image needs too.
 * No variables on a machine without pip.
 */
export async function pipFetchSettings(env: NodeJS.ProcessEnv = process.env): Promise<PipFetchSettings> {
  const { stdout } = await runCommand('pip', ['config', 'list']).catch(() => ({ stdout: '' }));
  const { PIP_CERT, ...variables } = parsePipSettings(stdout);
  for (const file of [PIP_CERT, env['SSL_CERT_FILE'], ...AUTHORITIES]) {
    if (file !== undefined && file !== '' && (await isReadable(file))) return { variables, certificates: file };
  }
  throw new Error(
    'no certificate authorities are found on this machine: set SSL_CERT_FILE to the file in which it keeps them',
  );
}

/**
 * Reads what `pip config list` prints, lines such as `global.index-url='…'` and `:env:.proxy='…'`, into environment
 * variables. As with pip, the section of a command comes before the global one, and the environment before both.
 */
export function parsePipSettings(text: string): Record<string, string> {
  const settings = [...text.matchAll(/^([\w:-]+)\.([\w-]+)=(['"])(.*)\3$/gm)].map(
    ([, section = '', name = '', , value = '']) => ({ section, name, value }),
  );
  const inOrder = ['global', 'install', ':env:'].flatMap((section) =>
    settings.filter((setting) => setting.section === section && PIP_FETCH_SETTINGS.test(setting.name)),
  );
  // Several values of one setting stand in lines of their own, which pip prints escaped.
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
