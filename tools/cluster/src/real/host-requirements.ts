/**
 * The requirements of a real node on this machine. They are checked before anything is started; missing programs are installed with apt-get
 * if it exists, otherwise the error names them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from '../cluster-error.ts';
import type { Progress } from '../progress.ts';
import { CommandError, runCommand } from '../run-command.ts';
import { findProgram, systemPath } from '../system-path.ts';

const CNI_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin'];
const CNI_PLUGINS = ['ptp', 'host-local', 'portmap', 'loopback'];

/** The Debian package of each program. */
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

/** Throws a ClusterError unless this process may run a real node on this machine. */
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

/** Installs the missing packages. */
export async function installMissingPackages(progress: Progress): Promise<void> {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (findProgram('apt-get') === undefined) {
    throw new ClusterError(
      `A real node needs programs that this machine lacks: install them (in Debian, the packages ${names}).`,
    );
  }
  await progress.step(`Installing ${names}`, async (step) => {
    try {
      await aptGet(['install', ...missing]);
    } catch {
      // The package lists may be missing or old, as in a new container.
      step.detail('after apt-get update');
      await aptGet(['update']);
      await aptGet(['install', ...missing]);
    }
    if (missing.includes('containerd')) await stopSystemService('containerd');
  });
  const still = missingPackages();
  if (still.length > 0)
    throw new ClusterError(
      `The packages ${still.join(', ')} are installed but lack programs that a real node needs: install these programs by hand.`,
    );
}

function missingPackages(): string[] {
  const packages = Object.keys(PACKAGES).flatMap((program) =>
    findProgram(program) === undefined ? (PACKAGES[program] ?? []) : [],
  );
  if (findCniFolder() === undefined) packages.push(CNI_PACKAGE);
  return [...new Set(packages)];
}

/** Not aborted when the start is interrupted: half-configured packages would be worse than a delay. */
async function aptGet(args: string[]): Promise<void> {
  const options = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
  try {
    await runCommand('apt-get', [...args, ...options], {
      env: { ...process.env, PATH: systemPath(), DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (error) {
    const reason = error instanceof CommandError ? error.lastLines : String(error);
    throw new ClusterError(
      `apt-get ${args.join(' ')} failed: install these packages by hand, then try again. Its output:\n${reason}`,
      { cause: error },
    );
  }
}

/** The package starts a system-wide containerd; the cluster runs its own and needs only the programs. */
async function stopSystemService(service: string): Promise<void> {
  if (!existsSync('/run/systemd/system')) return;
  await runCommand('systemctl', ['disable', '--now', service]);
}
