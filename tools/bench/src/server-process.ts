/** A server as a child process, timed from its start to its first successful response. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { processCpuSeconds, processTree } from './cluster-processes.ts';

const READY_LIMIT_MS = 60_000;
const ASK_EVERY_MS = 5;

export interface Started {
  readonly child: ChildProcess;
  /** Without a path. */
  readonly url: string;
  /** From the start of the process to the first response with status 200. */
  readonly readySeconds: number;
}

/** Runs Node with `args`. The process must print `"port":<number>` once, and respond with 200 at `path` when it is ready. */
export async function startServer(args: readonly string[], path: string, env: NodeJS.ProcessEnv): Promise<Started> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  endWithUs(child);
  let port: string | undefined;
  let written = '';
  child.stdout.on('data', (chunk: Buffer) => {
    written = (written + chunk.toString()).slice(-20_000);
    port ??= /"port":(\d+)/.exec(written)?.[1];
  });
  while (port === undefined || !(await answersOk(`http://127.0.0.1:${port}${path}`))) {
    if (child.exitCode !== null)
      throw new Error(`the server ended with exit code ${child.exitCode}. Its output:\n${written}`);
    if (performance.now() - startedAt > READY_LIMIT_MS) {
      child.kill('SIGKILL');
      throw new Error(`the server is not ready after ${READY_LIMIT_MS} ms. Its output:\n${written}`);
    }
    await sleep(ASK_EVERY_MS);
  }
  return { child, url: `http://127.0.0.1:${port}`, readySeconds: (performance.now() - startedAt) / 1000 };
}

/**
 * Any program, as a shell command line, with KUBECONFIG and BENCH_NAMESPACE set. There is no readiness check: later waits include its
 * start. Its output goes to standard error.
 */
export function startCommand(
  command: string,
  { kubeconfig, namespace }: { kubeconfig: string; namespace: string },
): Started {
  // Replaces the shell, so that the program itself is measured and ended.
  const child = spawn('sh', ['-c', `exec ${command}`], {
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, KUBECONFIG: kubeconfig, BENCH_NAMESPACE: namespace },
  });
  endWithUs(child);
  return { child, url: '', readySeconds: 0 };
}

/** Also if this process does not wait for it, as after an interruption. */
function endWithUs(child: ChildProcess): void {
  const end = () => child.kill();
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}

async function answersOk(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.ok;
}

/** Resident memory in megabytes (10^6), from the kernel. Linux only. */
export function residentMB(child: ChildProcess): Promise<number> {
  return memoryMB(child, 'VmRSS');
}

/** The peak so far. */
export function peakResidentMB(child: ChildProcess): Promise<number> {
  return memoryMB(child, 'VmHWM');
}

async function memoryMB(child: ChildProcess, line: string): Promise<number> {
  return sumOfTree(child, async (pid) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return (Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6;
  });
}

/** CPU time used so far, in seconds, user and system. Linux only. */
export function cpuSeconds(child: ChildProcess): Promise<number> {
  return sumOfTree(child, processCpuSeconds);
}

async function sumOfTree(child: ChildProcess, of: (pid: number) => Promise<number>): Promise<number> {
  const values = await Promise.all((await processTree(child.pid!)).map(of));
  return values.reduce((sum, value) => sum + value, 0);
}

/** Does nothing for a process that has ended. */
export async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
