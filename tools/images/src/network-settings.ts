/** How this machine reaches the network, for programs that run inside an image while it is built. */
import { readFile } from 'node:fs/promises';

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
