/** `muster preflight <framework…>`: what in a cluster would be in the way of an installation, before it is made. */
import { FRAMEWORKS, isFrameworkName } from '@muster/job-api';
import { createKubeClient, CredentialError, isKubeError, loadCluster } from '@muster/kube';
import type { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';
import { isAccessDenied } from '../jobs/refusal.ts';
import { findings } from '../preflight/findings.ts';
import { accessOf, withAccessOptions, type AccessOptions } from '../session.ts';
import { out } from '../terminal/output.ts';
import { lookAtCluster } from '../preflight/look-at-cluster.ts';

interface PreflightOptions extends AccessOptions {
  readonly namespace: string;
}

export function registerPreflightCommand(program: Command): void {
  withAccessOptions(
    program
      .command('preflight')
      .description(
        'Look whether anything in a cluster is in the way of installing the charts of these frameworks: CRDs of others, webhooks that nobody answers, other operators that run. Changes nothing. Exits 1 when there is something.',
      ),
  )
    .argument('<frameworks...>', Object.keys(FRAMEWORKS).join(', '))
    .option('-n, --namespace <name>', 'where the charts are to be installed, each as the release of its name', 'muster')
    .addHelpText(
      'after',
      `
Examples:
  muster preflight tensorflow pytorch-elastic
  muster preflight ray --namespace ray-system --context production`,
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
        const { code } = isAccessDenied(error) ? EXIT_CODES.forbidden : EXIT_CODES.error;
        command.error(`error: ${error.message}`, { exitCode: code });
      }
    });
}

async function linesOf(name: string, { namespace, ...where }: PreflightOptions): Promise<string[]> {
  if (!isFrameworkName(name)) return [];
  const client = createKubeClient(await loadCluster(accessOf(where)), { userAgent: 'muster-preflight' });
  try {
    const resources = FRAMEWORKS[name].map(({ resource }) => resource);
    const found = findings(name, resources, await lookAtCluster(client, resources), { name, namespace });
    if (found.length === 0) return [`${name}: nothing is in the way\n`];
    process.exitCode = 1;
    return found.map(({ what, mend }) => `${name}: ${what}\n  ${mend}\n`);
  } finally {
    await client.close();
  }
}
