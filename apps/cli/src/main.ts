/**
 * `muster`, and `kubectl muster`: one program with a file per command. Only the file of the command that is asked for
 * is loaded, so that help is instant and `crds` does not wait for a web server's modules.
 */
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };

interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Adds the command, whole, to the program. */
  readonly register: (program: Command) => Promise<void>;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'cluster',
    summary: 'bring a local Kubernetes up or down',
    register: async (program) => {
      const { registerClusterCommands } = await import('@muster/cluster');
      registerClusterCommands(program, async (frameworks, options) => {
        const { installOperators } = await import('@muster/install');
        await installOperators(frameworks, options);
      });
    },
  },
  {
    name: 'operator',
    summary: 'run the operator of one framework in the foreground',
    register: async (program) => {
      const { registerOperatorCommand } = await import('./commands/operator.ts');
      await registerOperatorCommand(program);
    },
  },
  {
    name: 'crds',
    summary: 'print custom resource definitions as YAML',
    register: async (program) => {
      const { registerCrdsCommand } = await import('./commands/crds.ts');
      registerCrdsCommand(program);
    },
  },
  {
    name: 'plan',
    summary: 'print the objects that jobs would get, without a cluster',
    register: async (program) => {
      const { registerPlanCommand } = await import('./commands/plan.ts');
      registerPlanCommand(program);
    },
  },
  {
    name: 'preflight',
    summary: 'say what in a cluster is in the way of an installation',
    register: async (program) => {
      const { registerPreflightCommand } = await import('./commands/preflight.ts');
      registerPreflightCommand(program);
    },
  },
  {
    name: 'version',
    summary: 'print the version',
    register: (program) => {
      program.command('version').action(() => console.log(`muster ${packageJson.version}`));
      return Promise.resolve();
    },
  },
];

export async function main(argv: readonly string[]): Promise<void> {
  // A reader that has seen enough (`muster crds | head`) is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const program = new Command('muster')
    .description('Kubernetes operators for distributed training.')
    .version(packageJson.version, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .showHelpAfterError('Run the command with --help to see what it takes.');
  const wanted = wantedCommand(argv);
  for (const { name, summary, register } of COMMANDS) {
    if (name === wanted) await register(program);
    else program.command(name).description(summary);
  }
  await program.parseAsync(argv, { from: 'user' });
}

function wantedCommand(argv: readonly string[]): string | undefined {
  const [first, second] = argv.filter((argument) => !argument.startsWith('-'));
  return first === 'help' ? second : first;
}
