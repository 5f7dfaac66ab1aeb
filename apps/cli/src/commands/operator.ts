/** `muster operator <framework>`: runs that app in this process, with all arguments after the framework. */
import { frameworks, loadOperator } from '@muster/bundle';
import type { Command } from 'commander';

export async function registerOperatorCommand(program: Command): Promise<void> {
  const known = await frameworks();
  program
    .command('operator')
    .description('Run the operator of one framework in the foreground, until SIGTERM or Ctrl-C.')
    .argument('<framework>', known.join(', '))
    .argument('[flags...]', 'flags of the operator, listed by `muster operator <framework> --help`')
    .passThroughOptions()
    .addHelpText(
      'after',
      `
Examples:
  muster operator pytorch-elastic
  muster operator pytorch-elastic --port 9090 --namespace team-a --log-format text
  KUBECONFIG=~/.kube/test muster operator pytorch-elastic --leader-elect=false`,
    )
    .action(async (framework: string, flags: string[], _options: unknown, command: Command) => {
      if (!known.includes(framework)) {
        return command.error(`error: unknown framework "${framework}"; known are: ${known.join(', ')}`);
      }
      const operator = await loadOperator(framework);
      await operator.main(flags);
    });
}
