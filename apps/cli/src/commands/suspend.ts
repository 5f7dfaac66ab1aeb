/** `muster suspend <job>`: its pods go, the job stays. */
import type { Command } from 'commander';
import { setSuspended } from '../jobs/set-suspended.ts';
import { inSession, withClusterOptions, type ClusterOptions } from '../session.ts';

export function registerSuspendCommand(program: Command): void {
  withClusterOptions(program.command('suspend'))
    .description(
      'Stop a job and keep it: its pods are deleted. It starts again, from its last checkpoint, with `resume`.',
    )
    .argument('<job>', 'its name, or kind/name')
    .addHelpText(
      'after',
      `
Examples:
  muster suspend mnist
  muster suspend raycluster/mnist -n team
  muster suspend mnist && muster wait mnist --for suspended`,
    )
    .action((reference: string, options: ClusterOptions) =>
      inSession(options, (session) => setSuspended(session, reference, true)),
    );
}
