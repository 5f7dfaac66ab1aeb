/**
 * Removes what a real node leaves on this machine once its processes are gone: control groups, the link's outer end and
 * folders that were made for it. Names are derived from the state folder, so this works without a state file as well,
 * and does nothing where there is nothing.
 */
import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { isErrorCode, identifyProcess, type ProcessIdentity } from '../processes/process-identity.ts';
import { stopProcesses } from '../processes/stop-processes.ts';
import { runCommand } from '../run-command.ts';
import { waitUntil } from '../wait-until.ts';
import { machineWideNames } from './node-namespaces.ts';

const CGROUP_ROOT = '/sys/fs/cgroup';

export async function cleanNode(folder: string, clusterName: string, createdFolders: readonly string[]): Promise<void> {
  if (process.platform !== 'linux') return;
  const names = machineWideNames(folder, clusterName);
  const groups = cgroupFolders(names.cgroup);
  await stopProcesses(() => groups.flatMap(processesIn));
  // The kernel frees a group a moment after its last process.
  const remaining = () => groups.filter((group) => !removeCgroup(group)).join(', ') || undefined;
  await waitUntil(remaining, { what: 'The removal of control groups', limitMs: 15_000 });
  await removeLink(names.interface);
  for (const created of createdFolders) removeIfEmpty(created);
}

/** One folder with cgroup v2; with v1 one per controller. */
function cgroupFolders(name: string): string[] {
  if (!existsSync(CGROUP_ROOT)) return [];
  const hierarchies = existsSync(join(CGROUP_ROOT, 'cgroup.controllers'))
    ? [CGROUP_ROOT]
    : readdirSync(CGROUP_ROOT).map((controller) => join(CGROUP_ROOT, controller));
  return hierarchies.map((hierarchy) => join(hierarchy, name)).filter((group) => existsSync(group));
}

function subgroups(group: string): string[] {
  try {
    const entries = readdirSync(group, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => join(group, entry.name));
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function processesIn(group: string): ProcessIdentity[] {
  let pids: string[];
  try {
    pids = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n');
  } catch (error) {
    if (isErrorCode(error, 'ENOENT') || isErrorCode(error, 'ENODEV')) return [];
    throw error;
  }
  const own = pids.flatMap((pid) => (pid === '' ? [] : (identifyProcess(Number(pid)) ?? [])));
  return [...own, ...subgroups(group).flatMap(processesIn)];
}

/** Control groups are removed from the leaves up; returns whether the group is gone. */
function removeCgroup(group: string): boolean {
  const emptied = subgroups(group).map(removeCgroup).every(Boolean);
  if (!emptied) return false;
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return true;
    if (isErrorCode(error, 'EBUSY')) return false;
    throw error;
  }
}

/** The kernel removes the link with the node's namespace, but later than its processes, or never if the node had no part of it yet. */
async function removeLink(link: string): Promise<void> {
  const exists = () => existsSync(`/sys/class/net/${link}`);
  if (!exists()) return;
  try {
    await runCommand('ip', ['link', 'delete', link]);
  } catch (error) {
    if (exists()) throw error;
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // Somebody else uses it by now, or has removed it.
    if (!isErrorCode(error, 'ENOTEMPTY') && !isErrorCode(error, 'ENOENT')) throw error;
  }
}
