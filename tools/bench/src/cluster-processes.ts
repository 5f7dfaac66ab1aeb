/** CPU time of the cluster's programs. All of them run on one machine, so elapsed time depends on the sum. */
import { readdir, readFile } from 'node:fs/promises';
import { clusterStatus } from '@muster/cluster';

export type CpuByProgram = Readonly<Record<string, number>>;

/** Seconds used so far, user and system, by program. Empty if this run did not start the cluster. Linux only. */
export async function clusterCpu(cluster: string | undefined): Promise<CpuByProgram> {
  if (cluster === undefined) return {};
  const { components } = await clusterStatus({ name: cluster });
  return Object.fromEntries(
    await Promise.all(components.map(async ({ name, pid }) => [name, await processCpuSeconds(pid)] as const)),
  );
}

export function cpuSince(after: CpuByProgram, before: CpuByProgram): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]));
}

export async function processCpuSeconds(pid: number): Promise<number> {
  const fields = await statFields(pid);
  const TICKS_PER_SECOND = 100;
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The process and its running descendants: a command may run behind a shell. */
export async function processTree(pid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map(
    await Promise.all(pids.map(async (each) => [each, Number((await statFields(each).catch(() => []))[1])] as const)),
  );
  const found = [pid];
  for (const parent of found) for (const [each, its] of parents) if (its === parent) found.push(each);
  return found;
}

/** The fields after the program's name, which is in parentheses and may contain spaces. */
async function statFields(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
