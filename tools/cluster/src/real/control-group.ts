/**
 * The control group of a real node's pods, under cgroup v1 (one hierarchy per controller) and v2. The kubelet creates the groups below it
 * and requires it to exist.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, isErrorCode, type ProcessIdentity } from '../processes/process-identity.ts';
import { stopProcesses } from '../processes/stop-processes.ts';
import { waitUntil } from '../wait-until.ts';

const CGROUP_ROOT = '/sys/fs/cgroup';

/** The common prefix of all real nodes' groups, for clusters of any cache folder. */
export const CGROUP_PREFIX = 'muster-';

export function createControlGroup(name: string): void {
  if (isUnified()) delegateControllers();
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, name);
    mkdirSync(group, { recursive: true });
    // A cgroup v1 cpuset starts empty, and then no process can run in it or below it.
    for (const file of isUnified() ? [] : ['cpuset.cpus', 'cpuset.mems']) {
      if (existsSync(join(group, file)))
        writeFileSync(join(group, file), readFileSync(join(hierarchy, file), 'utf8').trim());
    }
  }
}

/** Kills all processes of the group and removes it; does nothing if there is no such group. */
export async function removeControlGroup(name: string): Promise<void> {
  if (!existsSync(CGROUP_ROOT)) return;
  const groups = hierarchies()
    .map((hierarchy) => join(hierarchy, name))
    .filter((group) => existsSync(group));
  await stopProcesses(() => groups.flatMap(processesIn));
  // The kernel frees a group shortly after its last process.
  const remaining = () => groups.filter((group) => !remove(group)).join(', ') || undefined;
  await waitUntil(remaining, { what: 'control groups to be removed', limitMs: 15_000 });
}

/** Whether any real node exists on this machine. */
export function hasRealNode(): boolean {
  if (!existsSync(CGROUP_ROOT)) return false;
  return hierarchies().some((hierarchy) => readdirSync(hierarchy).some((entry) => entry.startsWith(CGROUP_PREFIX)));
}

function isUnified(): boolean {
  return existsSync(join(CGROUP_ROOT, 'cgroup.controllers'));
}

/** With cgroup v2 a group has the controllers that its parent enables for it. */
function delegateControllers(): void {
  const controllers = readFileSync(join(CGROUP_ROOT, 'cgroup.controllers'), 'utf8').trim().split(' ');
  const wanted = controllers.map((controller) => `+${controller}`).join(' ');
  writeFileSync(join(CGROUP_ROOT, 'cgroup.subtree_control'), wanted);
}

function hierarchies(): string[] {
  if (isUnified()) return [CGROUP_ROOT];
  const entries = readdirSync(CGROUP_ROOT, { withFileTypes: true });
  // Links such as cpu -> cpu,cpuacct lead to hierarchies that are listed themselves.
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(CGROUP_ROOT, entry.name));
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

/** Removes groups from the leaves up; returns whether the group is gone. */
function remove(group: string): boolean {
  const emptied = subgroups(group).map(remove).every(Boolean);
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
