/** `muster suspend <job>`: deletes the pods and keeps the job. */
import type { Command } from 'commander';
import { setSuspended } from '../jobs/set-suspended.ts';
import { inSession, withClusterOptions, type ClusterOptions } from '../session.ts';

export function registerSuspendCommand(program: Command): void {
  withClusterOptions(program.command('suspend'))
    .description('Suspend a job: delete its pods and keep the job. `resume` starts it again, from its last checkpoint.')
    .argument('<job>', 'name or kind/name')
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
