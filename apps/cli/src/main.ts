/**
 * `muster`, and `kubectl muster`: one program with a file per command. Only the file of the command that is asked for
 * is loaded, so that help is instant and `crds` does not wait for a web server's modules.
 */
import { Command, type CommanderError } from 'commander';
import { registerAbsentCommand } from './clone-commands.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { note, onReaderGone, out } from './terminal/output.ts';
import packageJson from '../package.json' with { type: 'json' };

/** Defined, as true, in the packed command line alone (tools/bundle), which leaves out what the other branch imports. */
declare const MUSTER_PACKAGED: true | undefined;

interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Whether it goes on when its output has no reader any more, because its exit code is the result. Default: it ends. */
  readonly outlivesReader?: true;
  /** Adds the command, whole, to the program. */
  readonly register: (program: Command) => Promise<void>;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'submit',
    outlivesReader: true,
    summary: 'send jobs to the cluster, and wait for one if asked to',
    register: async (program) => {
      const { registerSubmitCommand } = await import('./commands/submit.ts');
      registerSubmitCommand(program);
    },
  },
  {
    name: 'list',
    summary: 'list the jobs of every kind',
    register: async (program) => {
      const { registerListCommand } = await import('./commands/list.ts');
      registerListCommand(program);
    },
  },
  {
    name: 'get',
    summary: 'show how a job stands',
    register: async (program) => {
      const { registerGetCommand } = await import('./commands/get.ts');
      registerGetCommand(program);
    },
  },
  {
    name: 'logs',
    summary: "print the logs of a job's pods",
    register: async (program) => {
      const { registerLogsCommand } = await import('./commands/logs.ts');
      registerLogsCommand(program);
    },
  },
  {
    name: 'wait',
    outlivesReader: true,
    summary: 'wait until a job runs or has ended',
    register: async (program) => {
      const { registerWaitCommand } = await import('./commands/wait.ts');
      registerWaitCommand(program);
    },
  },
  {
    name: 'events',
    summary: 'print what has happened to a job and its pods',
    register: async (program) => {
      const { registerEventsCommand } = await import('./commands/events.ts');
      registerEventsCommand(program);
    },
  },
  {
    name: 'why',
    summary: 'say what a job waits for, or why it has failed',
    register: async (program) => {
      const { registerWhyCommand } = await import('./commands/why.ts');
      registerWhyCommand(program);
    },
  },
  {
    name: 'suspend',
    outlivesReader: true,
    summary: 'stop a job, and keep it',
    register: async (program) => {
      const { registerSuspendCommand } = await import('./commands/suspend.ts');
      registerSuspendCommand(program);
    },
  },
  {
    name: 'resume',
    outlivesReader: true,
    summary: 'start a suspended job again',
    register: async (program) => {
      const { registerResumeCommand } = await import('./commands/resume.ts');
      registerResumeCommand(program);
    },
  },
  {
    name: 'scale',
    outlivesReader: true,
    summary: "change the number of a job's workers",
    register: async (program) => {
      const { registerScaleCommand } = await import('./commands/scale.ts');
      registerScaleCommand(program);
    },
  },
  {
    name: 'delete',
    outlivesReader: true,
    summary: 'delete jobs',
    register: async (program) => {
      const { registerDeleteCommand } = await import('./commands/delete.ts');
      registerDeleteCommand(program);
    },
  },
  {
    name: 'cluster',
    outlivesReader: true,
    summary: 'bring a local Kubernetes up or down',
    register: async (program) => {
      if (typeof MUSTER_PACKAGED !== 'undefined') {
        registerAbsentCommand(program, 'cluster', 'bring a local Kubernetes up or down');
      } else {
        const { registerLocalClusterCommands } = await import('./commands/cluster.ts');
        registerLocalClusterCommands(program);
      }
    },
  },
  {
    name: 'operator',
    outlivesReader: true,
    summary: 'run the operator of one framework in the foreground',
    register: async (program) => {
      if (typeof MUSTER_PACKAGED !== 'undefined') {
        registerAbsentCommand(program, 'operator', 'run the operator of one framework');
      } else {
        const { registerOperatorCommand } = await import('./commands/operator.ts');
        await registerOperatorCommand(program);
      }
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
    name: 'replay',
    outlivesReader: true,
    summary: 'plan recorded passes of an operator again, and print what differs',
    register: async (program) => {
      const { registerReplayCommand } = await import('./commands/replay.ts');
      registerReplayCommand(program);
    },
  },
  {
    name: 'convert',
    summary: "print Kubeflow's jobs as Volcano Jobs, and the other way round",
    register: async (program) => {
      const { registerConvertCommand } = await import('./commands/convert.ts');
      registerConvertCommand(program);
    },
  },
  {
    name: 'preflight',
    outlivesReader: true,
    summary: 'say what in a cluster is in the way of an installation',
    register: async (program) => {
      const { registerPreflightCommand } = await import('./commands/preflight.ts');
      registerPreflightCommand(program);
    },
  },
  {
    name: 'dashboards',
    summary: "show the operators' dashboards in a browser",
    register: async (program) => {
      if (typeof MUSTER_PACKAGED !== 'undefined') {
        registerAbsentCommand(program, 'dashboards', "show the operators' dashboards");
      } else {
        const { registerDashboardsCommand } = await import('@muster/dashboards');
        registerDashboardsCommand(program);
      }
    },
  },
  {
    name: 'version',
    summary: 'print the version',
    register: (program) => {
      program.command('version').action(() => out(`muster ${packageJson.version}\n`));
      return Promise.resolve();
    },
  },
];

export async function main(argv: readonly string[]): Promise<void> {
  const wanted = wantedCommand(argv);
  onReaderGone(COMMANDS.some(({ name, outlivesReader }) => name === wanted && outlivesReader === true));
  const program = new Command('muster')
    .description('Kubernetes operators for distributed training.')
    .version(packageJson.version, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .exitOverride(endWith)
    .configureOutput({ writeOut: out, writeErr: (text) => note(text.replace(/\n$/, '')) })
    .showHelpAfterError('Run the command with --help to see what it takes.');
  for (const { name, summary, register } of COMMANDS) {
    if (name === wanted) await register(program);
    else program.command(name).description(summary);
  }
  await program.parseAsync(argv, { from: 'user' });
}

/** What a command says of itself keeps its exit code; a command line that makes no sense is another matter. */
function endWith({ code, exitCode }: CommanderError): never {
  process.exit(USAGE_ERRORS.test(code) ? EXIT_CODES.usage.code : exitCode);
}

const USAGE_ERRORS = /^commander[.](unknown|missing|optionMissing|invalid|excess|conflicting)/;

function wantedCommand(argv: readonly string[]): string | undefined {
  const [first, second] = argv.filter((argument) => !argument.startsWith('-'));
  return first === 'help' ? second : first;
}
