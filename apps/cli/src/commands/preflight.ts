/** `muster preflight <framework…>`: checks whether a cluster is ready for an installation. */
import { FRAMEWORKS, isFrameworkName, type Lease } from '@muster/job-api';
import { createKubeClient, CredentialError, isKubeError, loadCluster, type KubeClient } from '@muster/kube';
import type { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';
import { isAccessDenied } from '../jobs/refusal.ts';
import { findings } from '../preflight/findings.ts';
import { accessOf, withAccessOptions, type AccessOptions } from '../session.ts';
import { fail, note, out, warn } from '../terminal/output.ts';
import { wrapped } from '../terminal/wrap.ts';
import { readCluster } from '../preflight/read-cluster.ts';
import { conflictingLeases } from '../preflight/muster-operators.ts';
import type { ClusterState } from '../preflight/seen-cluster.ts';
import { isExpiryObservable, expiredLeases, watchedForMs } from '../preflight/expired-leases.ts';

interface PreflightOptions extends AccessOptions {
  readonly namespace: string;
  readonly watch?: readonly string[];
}

export function registerPreflightCommand(program: Command): void {
  withAccessOptions(
    program
      .command('preflight')
      .description(
        'Check whether a cluster is ready for the charts of these frameworks. Finds CRDs of other installations, webhooks without endpoints, and other operators of the same kinds in any namespace. Changes nothing. Exits 1 if it finds a problem.',
      ),
  )
    .argument('<frameworks...>', Object.keys(FRAMEWORKS).join(', '))
    .option('-n, --namespace <name>', 'namespace of the installation; each release has the name of its chart', 'muster')
    .option(
      '--watch <name,…>',
      'namespaces that the operators will watch (watch.namespaces of the charts; default: all)',
      (value: string) => value.split(',').filter((name) => name !== ''),
    )
    .addHelpText(
      'after',
      `
Examples:
  muster preflight tensorflow pytorch-elastic
  muster preflight ray --namespace ray-system --context production
  muster preflight mpi --namespace team-a --watch team-a`,
    )
    .action(async (frameworks: string[], options: PreflightOptions, command: Command) => {
      const unknown = frameworks.find((framework) => !isFrameworkName(framework));
      if (unknown !== undefined) {
        const known = Object.keys(FRAMEWORKS).join(', ');
        return command.error(`error: unknown framework "${unknown}"; known are: ${known}`);
      }
      try {
        const lines = await Promise.all(frameworks.map((framework) => linesOf(framework, options)));
        out(lines.flat().join(''));
      } catch (error) {
        if (!(error instanceof CredentialError) && !isKubeError(error)) throw error;
        fail(error.message);
        process.exitCode = (isAccessDenied(error) ? EXIT_CODES.forbidden : EXIT_CODES.error).code;
      }
    });
}

async function linesOf(
  name: string,
  { namespace, watch: watched = [], ...where }: PreflightOptions,
): Promise<string[]> {
  if (!isFrameworkName(name)) return [];
  const client = createKubeClient(await loadCluster(accessOf(where)), { userAgent: 'muster-preflight' });
  try {
    const resources = FRAMEWORKS[name].map(({ resource }) => resource);
    const seen = await readCluster(client, resources);
    if (seen.leases === undefined) {
      warn(
        `${name}: you are not allowed to list Leases in all namespaces: operators outside of the cluster are not found`,
      );
    }
    const release = { name, namespace, watched };
    const leases = conflictingLeases(name, resources, seen, release).filter(isExpiryObservable);
    const held = await withoutSilentLeases(name, client, seen, leases);
    const found = findings(name, resources, held, release);
    if (found.length === 0) return [`${name}: the cluster is ready for installation\n`];
    process.exitCode = 1;
    return found.map(
      ({ problem, fix }) => `${wrapped(`${name}: ${problem}`)}
  ${fix}\n`,
    );
  } finally {
    await client.close();
  }
}

async function withoutSilentLeases(
  framework: string,
  client: KubeClient,
  seen: ClusterState,
  leases: readonly Lease[],
): Promise<ClusterState> {
  if (leases.length === 0) return seen;
  const names = leases.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`).join(', ');
  const seconds = Math.ceil(watchedForMs(leases) / 1000);
  note(`${framework}: waiting up to ${seconds}s for a renewal of the Lease ${names}`);
  const silent = await expiredLeases(client, leases);
  return { ...seen, leases: seen.leases?.filter((lease) => !silent.includes(lease)) };
}
