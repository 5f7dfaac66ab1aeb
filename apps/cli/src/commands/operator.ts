/** `muster operator <framework>`: hands everything after the framework's name to that app, in this process. */
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';

interface App {
  main(argv: readonly string[]): Promise<void>;
}

const APPS: Readonly<Record<string, () => Promise<App>>> = {
  tensorflow: () => import('@muster/tensorflow'),
  'pytorch-elastic': () => import('@muster/pytorch-elastic'),
  mpi: () => import('@muster/mpi'),
  mxnet: () => import('@muster/mxnet'),
};

export function registerOperatorCommand(program: Command): void {
  const known = Object.keys(APPS);
  program
    .command('operator')
    .description('Run the operator of one framework in the foreground, until SIGTERM or Ctrl-C.')
    .argument('<framework>', known.join(', '))
    .argument('[flags...]', "the operator's own flags: see them with `muster operator <framework> --help`")
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
      const load = APPS[framework];
      if (load === undefined) {
        return command.error(`error: unknown framework "${framework}"; known are: ${known.join(', ')}`);
      }
      await runDecorators();
      const app = await load();
      await app.main(flags);
    });
}

/** Node runs TypeScript by leaving the types out, which decorators do not survive: tsx compiles them. */
async function runDecorators(): Promise<void> {
  const { register } = await import('tsx/esm/api');
  // Named, because tsx would look for it from the current directory upward.
  register({ tsconfig: fileURLToPath(new URL('../../../../tsconfig.base.json', import.meta.url)) });
}
