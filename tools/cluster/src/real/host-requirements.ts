/**
 * What a real node asks of this machine. Checked before anything is started; what is missing is installed from the
 * distribution's packages where apt-get exists, and named otherwise.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from '../cluster-error.ts';
import type { Progress } from '../progress.ts';
import { CommandError, runCommand } from '../run-command.ts';
import { findProgram, systemPath } from '../system-path.ts';

const CNI_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin'];
const CNI_PLUGINS = ['ptp', 'host-local', 'portmap', 'loopback'];

/** Which Debian package brings which program. */
const PACKAGES: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  iptables: 'iptables',
  ip: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'mount',
};
const CNI_PACKAGE = 'containernetworking-plugins';

/** Throws a ClusterError unless this process may make a node of this machine. */
export function checkHost(host = { platform: process.platform, uid: process.getuid?.() }): void {
  if (host.platform !== 'linux') {
    throw new ClusterError(
      'A real node needs Linux: use "--node simulated" here, or point KUBECONFIG at a cluster you have.',
    );
  }
  if (host.uid !== 0) {
    throw new ClusterError(
      'A real node needs root: run the command again with "sudo -E", or use "--node simulated", which needs no root.',
    );
  }
}

/** The folder with the CNI plugins, or undefined when some are missing. */
export function findCniFolder(): string | undefined {
  return CNI_FOLDERS.find((folder) => CNI_PLUGINS.every((plugin) => existsSync(join(folder, plugin))));
}

/** Installs what is missing. */
export async function installMissingPackages(progress: Progress): Promise<void> {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (findProgram('apt-get') === undefined) {
    throw new ClusterError(`A real node needs programs this machine lacks: install what Debian packages as ${names}.`);
  }
  await progress.step(`Installing ${names}`, async (step) => {
    try {
      await aptGet(['install', ...missing]);
    } catch {
      // The package lists may be missing or old, which is what a fresh container looks like.
      step.detail('after apt-get update');
      await aptGet(['update']);
      await aptGet(['install', ...missing]);
    }
    if (missing.includes('containerd')) await stopSystemService('containerd');
  });
  const still = missingPackages();
  if (still.length > 0)
    throw new ClusterError(`The packages ${still.join(', ')} lack programs a real node needs: install them by hand.`);
}

function missingPackages(): string[] {
  const packages = Object.keys(PACKAGES).flatMap((program) =>
    findProgram(program) === undefined ? (PACKAGES[program] ?? []) : [],
  );
  if (findCniFolder() === undefined) packages.push(CNI_PACKAGE);
  return [...new Set(packages)];
}

/** Runs to its end even when the start is interrupted: half-configured packages would be worse than a late answer. */
async function aptGet(args: string[]): Promise<void> {
  const options = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
  try {
    await runCommand('apt-get', [...args, ...options], {
      env: { ...process.env, PATH: systemPath(), DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (error) {
    const reason = error instanceof CommandError ? error.lastLines : String(error);
    throw new ClusterError(
      `apt-get ${args.join(' ')} failed: install these packages by hand, then try again. It said:\n${reason}`,
      { cause: error },
    );
  }
}

/** The package starts a system-wide containerd; the cluster runs its own, and asked for the programs only. */
async function stopSystemService(service: string): Promise<void> {
  if (!existsSync('/run/systemd/system')) return;
  await runCommand('systemctl', ['disable', '--now', service]);
}
