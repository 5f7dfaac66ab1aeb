/**
 * `muster`, and `kubectl muster`: one program with a file per command. Only the file of the given command is loaded,
 * so that help is instant and `crds` does not load a web server's modules.
 */
import { Command, type CommanderError } from 'commander';
import { registerAbsentCommand } from './clone-commands.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { note, onReaderGone, out } from './terminal/output.ts';
import packageJson from '../package.json' with { type: 'json' };

/** Defined as true only in the packed command line (tools/bundle), which omits what the other branch imports. */
declare const MUSTER_PACKAGED: true | undefined;

interface CommandEntry {
  readonly name: string;
  /** The heading above it in the list of commands. */
  readonly group?: string;
  readonly summary: string;
  /** Whether it continues after the reader of its output is gone, because its exit code is the result. Default: it ends. */
  readonly outlivesReader?: true;
  /** Adds the complete command to the program. */
  readonly register: (program: Command) => Promise<void>;
}

const JOBS = 'Jobs:';
const MANIFESTS = 'Manifests:';
const CLUSTERS = 'Clusters and operators:';

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'submit',
    group: JOBS,
    outlivesReader: true,
    summary: 'Submit jobs, and optionally wait for one',
    register: async (program) => {
      const { registerSubmitCommand } = await import('./commands/submit.ts');
      registerSubmitCommand(program);
    },
  },
  {
    name: 'list',
    group: JOBS,
    summary: 'List jobs of all kinds',
    register: async (program) => {
      const { registerListCommand } = await import('./commands/list.ts');
      registerListCommand(program);
    },
  },
  {
    name: 'get',
    group: JOBS,
    summary: 'Show the state, conditions and pods of a job',
    register: async (program) => {
      const { registerGetCommand } = await import('./commands/get.ts');
      registerGetCommand(program);
    },
  },
  {
    name: 'logs',
    group: JOBS,
    summary: "Print the logs of a job's pods",
    register: async (program) => {
      const { registerLogsCommand } = await import('./commands/logs.ts');
      registerLogsCommand(program);
    },
  },
  {
    name: 'wait',
    group: JOBS,
    outlivesReader: true,
    summary: 'Wait until a job runs or ends',
    register: async (program) => {
      const { registerWaitCommand } = await import('./commands/wait.ts');
      registerWaitCommand(program);
    },
  },
  {
    name: 'events',
    group: JOBS,
    summary: 'List the events of a job and its pods',
    register: async (program) => {
      const { registerEventsCommand } = await import('./commands/events.ts');
      registerEventsCommand(program);
    },
  },
  {
    name: 'why',
    group: JOBS,
    summary: 'Show why a job waits or failed',
    register: async (program) => {
      const { registerWhyCommand } = await import('./commands/why.ts');
      registerWhyCommand(program);
    },
  },
  {
    name: 'history',
    group: JOBS,
    summary: 'List the decisions about a job and their causes, from recorded runs',
    register: async (program) => {
      const { registerHistoryCommand } = await import('./commands/history.ts');
      registerHistoryCommand(program);
    },
  },
  {
    name: 'record',
    group: JOBS,
    summary: 'Export recorded runs of a job',
    register: async (program) => {
      const { registerRecordCommands } = await import('./commands/record.ts');
      registerRecordCommands(program);
    },
  },
  {
    name: 'goodput',
    group: JOBS,
    summary: 'Show where the time of jobs went',
    register: async (program) => {
      const { registerGoodputCommand } = await import('./commands/goodput.ts');
      registerGoodputCommand(program);
    },
  },
  {
    name: 'suspend',
    group: JOBS,
    outlivesReader: true,
    summary: 'Suspend a job: delete its pods and keep the job',
    register: async (program) => {
      const { registerSuspendCommand } = await import('./commands/suspend.ts');
      registerSuspendCommand(program);
    },
  },
  {
    name: 'resume',
    group: JOBS,
    outlivesReader: true,
    summary: 'Resume a suspended job',
    register: async (program) => {
      const { registerResumeCommand } = await import('./commands/resume.ts');
      registerResumeCommand(program);
    },
  },
  {
    name: 'scale',
    group: JOBS,
    outlivesReader: true,
    summary: "Change the number of a job's workers",
    register: async (program) => {
      const { registerScaleCommand } = await import('./commands/scale.ts');
      registerScaleCommand(program);
    },
  },
  {
    name: 'delete',
    group: JOBS,
    outlivesReader: true,
    summary: 'Delete jobs',
    register: async (program) => {
      const { registerDeleteCommand } = await import('./commands/delete.ts');
      registerDeleteCommand(program);
    },
  },
  {
    name: 'cluster',
    group: CLUSTERS,
    outlivesReader: true,
    summary: 'Start or stop a local Kubernetes cluster',
    register: async (program) => {
      if (typeof MUSTER_PACKAGED !== 'undefined') {
        registerAbsentCommand(program, 'cluster', 'Start or stop a local Kubernetes cluster');
      } else {
        const { registerLocalClusterCommands } = await import('./commands/cluster.ts');
        registerLocalClusterCommands(program);
      }
    },
  },
  {
    name: 'operator',
    group: CLUSTERS,
    outlivesReader: true,
    summary: 'Run the operator of one framework in the foreground',
    register: async (program) => {
      if (typeof MUSTER_PACKAGED !== 'undefined') {
        registerAbsentCommand(program, 'operator', 'Run the operator of one framework');
      } else {
        const { registerOperatorCommand } = await import('./commands/operator.ts');
        await registerOperatorCommand(program);
      }
    },
  },
  {
    name: 'crds',
    group: CLUSTERS,
    summary: 'Print CustomResourceDefinitions as YAML',
    register: async (program) => {
      const { registerCrdsCommand } = await import('./commands/crds.ts');
      registerCrdsCommand(program);
    },
  },
  {
    name: 'plan',
    group: MANIFESTS,
    summary: 'Print the objects planned for jobs, without a cluster',
    register: async (program) => {
      const { registerPlanCommand } = await import('./commands/plan.ts');
      registerPlanCommand(program);
    },
  },
  {
    name: 'replay',
    group: MANIFESTS,
    outlivesReader: true,
    summary: 'Plan recorded reconcile runs again, and print the differences',
    register: async (program) => {
      const { registerReplayCommand } = await import('./commands/replay.ts');
      registerReplayCommand(program);
    },
  },
  {
    name: 'convert',
    group: MANIFESTS,
    summary: 'Convert jobs between Kubeflow and Volcano',
    register: async (program) => {
      const { registerConvertCommand } = await import('./commands/convert.ts');
      registerConvertCommand(program);
    },
  },
  {
    name: 'preflight',
    group: CLUSTERS,
    outlivesReader: true,
    summary: 'Check whether a cluster is ready for installation',
    register: async (program) => {
      const { registerPreflightCommand } = await import('./commands/preflight.ts');
      registerPreflightCommand(program);
    },
  },
  {
    name: 'shadow',
    group: CLUSTERS,
    summary: 'Compare Muster with the operator that runs the jobs',
    register: async (program) => {
      const { registerShadowCommands } = await import('./commands/shadow.ts');
      registerShadowCommands(program);
    },
  },
  {
    name: 'dashboards',
    group: CLUSTERS,
    summary: "Show the operators' dashboards in a browser",
    register: async (program) => {
      if (typeof MUSTER_PACKAGED !== 'undefined') {
        registerAbsentCommand(program, 'dashboards', "Show the operators' dashboards");
      } else {
        const { registerDashboardsCommand } = await import('@muster/dashboards');
        registerDashboardsCommand(program);
      }
    },
  },
  {
    name: 'version',
    summary: 'Print the version',
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
    .helpCommand('help [command]', 'Print the help of a command')
    .enablePositionalOptions()
    .exitOverride(endWith)
    .configureOutput({ writeOut: out, writeErr: (text) => note(text.replace(/\n$/, '')) })
    .showHelpAfterError('Run the command with --help for its usage.');
  for (const { name, group, summary, register } of COMMANDS) {
    if (name === wanted) await register(program);
    else program.command(name).description(summary);
    const command = program.commands.at(-1);
    if (group !== undefined) command?.helpGroup(group);
  }
  await program.parseAsync(argv, { from: 'user' });
}

/** An invalid command line ends with the exit code for usage errors; all else keeps its exit code. */
function endWith({ code, exitCode }: CommanderError): never {
  process.exit(USAGE_ERRORS.test(code) ? EXIT_CODES.usage.code : exitCode);
}

const USAGE_ERRORS = /^commander[.](unknown|missing|optionMissing|invalid|excess|conflicting)/;

function wantedCommand(argv: readonly string[]): string | undefined {
  const [first, second] = argv.filter((argument) => !argument.startsWith('-'));
  return first === 'help' ? second : first;
}
