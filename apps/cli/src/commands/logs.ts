/** `muster logs <job>`: prints the logs of a job's pods. */
import { isKubeError } from '@muster/kube';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { findJob, referenceOf, titleOf, type FoundJob } from '../jobs/find-job.ts';
import { followLogs } from '../jobs/follow-logs.ts';
import { jobView, type JobView, type ReplicaView } from '../jobs/job-view.ts';
import { listPods } from '../jobs/list-pods.ts';
import { isOfSeveral, noPods, selectedReplicas, type LogSelection } from '../jobs/log-selection.ts';
import { logWriter } from '../jobs/log-writer.ts';
import { mergedByTime } from '../jobs/merged-by-time.ts';
import { podLog, type LogLine } from '../jobs/pod-log.ts';
import { isAccessDenied } from '../jobs/refusal.ts';
import { note, warn } from '../terminal/output.ts';
import { inSession, withClusterOptions, type ClusterOptions, type Session } from '../session.ts';

interface Options extends ClusterOptions, LogSelection {
  readonly follow?: boolean;
  readonly tail?: number;
  readonly container?: string;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
}

export function registerLogsCommand(program: Command): void {
  withClusterOptions(program.command('logs'))
    .description(
      'Print the log of the deciding replica, of one replica, of a role, or of all replicas merged by time. Works while the pods exist, also after the job has ended.',
    )
    .argument('<job>', 'name or kind/name')
    .option('-f, --follow', 'follow the logs until the job ends, including pods that are created later')
    .addOption(
      new Option('--replica <name>', 'print the log of one replica: worker-1, or the name of its pod').conflicts([
        'role',
        'all',
      ]),
    )
    .addOption(new Option('--role <role>', 'print the logs of all replicas of a role, such as worker').conflicts('all'))
    .option('--all', 'print the logs of all replicas')
    .option('--tail <lines>', 'print only the last lines of each log', parseLines)
    .option('-c, --container <name>', 'container (default: the one that trains)')
    .addOption(new Option('--previous', 'print the log of the container before its last restart').conflicts('follow'))
    .option('--timestamps', 'print the time of each line')
    .addHelpText(
      'after',
      `
Examples:
  muster logs mnist
  muster logs mnist --replica worker-1 --tail 100
  muster logs -f mnist --all`,
    )
    .action((reference: string, options: Options) =>
      inSession(options, async (session) => {
        const found = await findJob(session.client, reference, session.namespace);
        const { timestamps = false } = options;
        const write = logWriter({ prefix: isOfSeveral(options), timestamps, stream: process.stdout });
        if (options.follow === true) return follow(session, found, options, write);
        const view = jobView(found.kind, found.manifest, await listPods(session.client, found));
        return print(session, found, view, options, write);
      }),
    );
}

function parseLines(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a number of lines.');
  return Number(text);
}

type Write = (replica: string, line: LogLine) => void;

async function follow(session: Session, found: FoundJob, options: Options, write: Write): Promise<void> {
  const { container, tail: tailLines } = options;
  session.interruptNotice = `Interrupted: ${titleOf(found)} continues.`;
  const { client, signal } = session;
  const view = jobView(found.kind, found.manifest, await listPods(client, found));
  const isOver = view.state === 'Succeeded' || view.state === 'Failed';
  if (isOver && selectedReplicas(view, options).length === 0) throw noPods(view, options, named(session, found));
  await followLogs(client, found, { selection: options, container, tailLines, write, warn, signal });
}

function named(session: Session, found: FoundJob): { title: string; why: string } {
  return { title: titleOf(found), why: session.hint(`why ${referenceOf(found)}`, found.namespace) };
}

async function print(session: Session, found: FoundJob, view: JobView, options: Options, write: Write): Promise<void> {
  const { client, signal } = session;
  const replicas = selectedReplicas(view, options);
  if (replicas.length === 0) throw noPods(view, options, named(session, found));
  const failures: LogFailure[] = [];
  const logs = replicas.map((replica) => {
    const { name: pod = '', namespace = '' } = replica.pod.metadata ?? {};
    const { previous = false, tail: tailLines, container = replica.container } = options;
    const lines = podLog(client, { namespace, pod, container, previous, tailLines, signal });
    return { name: replica.name, lines: orReported(replica, lines, (failure) => failures.push(failure)) };
  });
  for await (const line of mergedByTime(logs)) write(line.name, line);
  const messages = failures.map(({ message }) => message);
  if (failures.length === replicas.length) {
    const ending = failures.every(({ isDenied }) => isDenied) ? 'forbidden' : 'error';
    throw new CommandError(ending, messages.join('\nerror: '));
  }
  messages.forEach(warn);
  if (process.stdout.isTTY && view.replicas.length > 1 && !isOfSeveral(options) && options.replica === undefined) {
    note(
      `This is the log of ${replicas[0]?.name}, one of ${view.replicas.length} replicas. For the others, use --all or --replica.`,
    );
  }
}

interface LogFailure {
  readonly message: string;
  readonly isDenied: boolean;
}

/** Reports a log that cannot be read, so that the others are printed. */
async function* orReported(
  { name }: ReplicaView,
  lines: AsyncGenerator<LogLine>,
  report: (failure: LogFailure) => void,
): AsyncGenerator<LogLine> {
  try {
    yield* lines;
  } catch (error) {
    if (!isKubeError(error)) throw error;
    const message = `The log of ${name} cannot be read: ${error.status?.message ?? error.message}`;
    report({ message, isDenied: isAccessDenied(error) });
  }
}
