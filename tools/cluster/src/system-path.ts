import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Administrators' programs (ip, iptables, containerd) are not on everybody's PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The PATH that programs are started with: the user's, then the system's folders it lacks. */
export function systemPath(path = process.env['PATH'] ?? ''): string {
  return [...new Set([...path.split(delimiter).filter((folder) => folder !== ''), ...SYSTEM_FOLDERS])].join(delimiter);
}

export function findProgram(name: string): string | undefined {
  return systemPath()
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
