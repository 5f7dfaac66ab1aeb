/**
 * The root parts of a build run in their own mount and process namespaces. The kernel removes both with the last process, and kills those
 * processes when the build's process ends, so even a killed build leaves no mount and no process. This keeps the machine clean; it is not a
 * security boundary.
 */
import { readFile } from 'node:fs/promises';

import { lastLines, runCommand } from '@muster/cluster';

import { killedWithParent } from './killed-with-parent.ts';

export interface SandboxScript {
  /** Commands for a shell that stops at the first error. */
  script: string;
  /** Environment of the script, in addition to the network settings. */
  variables: Readonly<Record<string, string>>;
  /** File for all output of the script. */
  log: string;
}

/** Runs a shell script as root in new namespaces. Its mounts are private to it. */
export async function runInSandbox({ script, variables, log }: SandboxScript): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('building this image needs root: run the command again with sudo');
  const shell = ['/bin/sh', '-euc', `exec >>"$LOG" 2>&1\n${script}`];
  const [file, args] = killedWithParent(['unshare', '--mount', '--pid', '--fork', '--kill-child', ...shell]);
  const env = { ...sandboxEnvironment(process.env), ...variables, LOG: log };
  await runCommand(file, args, { env }).catch(async (cause: unknown) => {
    const output = lastLines(await readFile(log, 'utf8'), 15);
    throw new Error(`building the image failed. Last lines of the log ${log}:\n${output}`, { cause });
  });
}

/** The parts of this machine's environment that a build gets: network settings, and nothing that could end up in an image. */
function sandboxEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const network = Object.entries(env).filter(([name]) => /^(https?|no)_proxy$/i.test(name));
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LC_ALL: 'C.UTF-8',
    DEBIAN_FRONTEND: 'noninteractive',
    ...Object.fromEntries(network),
  };
}
