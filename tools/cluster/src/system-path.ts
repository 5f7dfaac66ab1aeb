import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Administrators' programs (ip, iptables, containerd) are not on the PATH of every user. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The PATH of started programs: the user's, then missing system folders. */
export function systemPath(path = process.env['PATH'] ?? ''): string {
  return [...new Set([...path.split(delimiter).filter((folder) => folder !== ''), ...SYSTEM_FOLDERS])].join(delimiter);
}

export function findProgram(name: string): string | undefined {
  return systemPath()
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
