/** `muster why <job>`: shows on one page why a job waits or failed. */
import type { Event, Pod } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { InvalidArgumentError, type Command } from 'commander';
import { KnownAt, recordedPage } from '../history/known-at.ts';
import { withRecordedJob, withRecordingOptions, type RecordingOptions } from '../history/read-recording.ts';
import { activityOf } from '../jobs/activity.ts';
import {
  explain,
  operatorOf as frameworkOf,
  withLog,
  type Explanation,
  type FirstFailure,
} from '../jobs/explanation.ts';
import { findJob, referenceOf, titleOf, type FoundJob } from '../jobs/find-job.ts';
import { goodputLine } from '../jobs/goodput-page.ts';
import { jobEvents } from '../jobs/job-events.ts';
import { jobView, type JobView } from '../jobs/job-view.ts';
import { listPods } from '../jobs/list-pods.ts';
import { podGroupProblem } from '../jobs/pod-group-trouble.ts';
import { operatorState } from '../jobs/operator-state.ts';
import { podLog } from '../jobs/pod-log.ts';
import { queueProblem } from '../jobs/queue-trouble.ts';
import { out, styled, warn } from '../terminal/output.ts';
import { inSession, type Session } from '../session.ts';
import { parseDuration } from '../terminal/parse-duration.ts';
import { wrapped } from '../terminal/wrap.ts';

interface Options extends RecordingOptions {
  readonly at?: number;
}

export function registerWhyCommand(program: Command): void {
  withRecordingOptions(program.command('why'))
    .description('Show on one page why a job waits or failed, and the next step.')
    .argument('<job>', 'name or kind/name')
    .option(
      '--at <time>',
      'show what was known at this time, from recorded runs: RFC 3339, or a duration ago such as 90m',
      parseTime,
    )
    .addHelpText(
      'after',
      `
Examples:
  muster why mnist
  muster why rayjob/mnist -n team
  muster wait mnist || muster why mnist
  muster why mnist --at 2026-03-01T04:30:00Z
  muster why mnist --at 90m --recording runs`,
    )
    .action((reference: string, options: Options) => {
      const { at, recording } = options;
      if (at !== undefined || recording !== undefined) return whyAt(reference, options, at ?? Date.now());
      return inSession(options, async (session) => {
        const { client, namespace } = session;
        const found = await findJob(client, reference, namespace);
        const pods = await listPods(client, found);
        const view = jobView(found.kind, found.manifest, pods);
        const podGroup = await podGroupProblem(client, found);
        const events = await readableEvents(session, found, pods);
        const queue = view.state === 'Suspended' ? await queueProblem(client, found.manifest) : [];
        const nowMs = Date.now();
        const operator = needsOperator(view) ? await operatorState(client, frameworkOf(found.kind), nowMs) : undefined;
        const activity = view.state === 'Running' ? await activityOf(client, view, nowMs) : [];
        const known = { view, events, queue, operator, activity, nowMs };
        const explanation = explain({ ...known, ...(podGroup !== undefined && { podGroup }) });
        out(await page(session, found, explanation, goodputLine(view, nowMs)));
      });
    });
}

/** A time in RFC 3339, or a duration before now. For commander. */
function parseTime(text: string): number {
  const timeMs = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(timeMs)) return timeMs;
  try {
    return Date.now() - parseDuration(text);
  } catch {
    throw new InvalidArgumentError('Expected a time such as 2026-03-01T04:30:00Z, or a duration ago such as 90m.');
  }
}

function whyAt(reference: string, options: Options, atMs: number): Promise<void> {
  return withRecordedJob(
    reference,
    options,
    () => new KnownAt(atMs),
    ({ job, runs }) => out(recordedPage(job, runs)),
  );
}

/** Whether no operator has reconciled the job, or pods are missing. */
function needsOperator({ state, roles }: JobView): boolean {
  if (state === undefined) return true;
  const isActive = state === 'Created' || state === 'Running' || state === 'Restarting';
  return isActive && roles.some(({ wanted = 0, there = 0, succeeded }) => wanted > Math.max(there, succeeded));
}

/** Without permission to read events, the rest is still shown. */
async function readableEvents({ client }: Session, found: FoundJob, pods: readonly Pod[]): Promise<Event[]> {
  try {
    return await jobEvents(client, found, pods);
  } catch (error) {
    if (!isKubeError(error, 'Forbidden')) throw error;
    warn(error.message);
    return [];
  }
}

async function page(
  session: Session,
  found: FoundJob,
  explanation: Explanation,
  goodput: string | undefined,
): Promise<string> {
  const failed = explanation.findings.find(({ logOf }) => logOf !== undefined)?.logOf;
  const log = failed === undefined ? undefined : await logEnd(session, failed);
  const { headline, findings, next } = withLog(explanation, log?.lines ?? []);
  // Messages of pods may have several lines.
  const lines = [styled('bold', wrapped(`${titleOf(found)} ${headline.replaceAll(/\s*\n\s*/g, ' | ')}`))];
  for (const { title, details, logOf } of findings) {
    const shown = details.flatMap((detail) => detail.split('\n')).map((detail) => wrapped(detail, '  '));
    lines.push(...(title === '' ? [] : ['', wrapped(title)]), ...shown);
    if (logOf !== undefined && log !== undefined) lines.push(...shownLog(log));
  }
  if (goodput !== undefined) lines.push('', wrapped(goodput));
  // A command stays on one line, to be copied.
  lines.push(
    '',
    'Next:',
    ...next.map((step) => (isSentence(step) ? wrapped(step, '  ') : `  ${typed(session, found, step)}`)),
  );
  return `${lines.join('\n')}\n`;
}

/** The error may precede a launcher's report of it. */
const READ_LINES = 200;

const SHOWN_LINES = 10;

interface LogEnd {
  readonly lines: readonly string[];
  /** Why it cannot be read. */
  readonly trouble?: string;
}

async function logEnd({ client }: Session, { replica, end }: FirstFailure): Promise<LogEnd> {
  const { name = '', namespace = '' } = replica.pod.metadata ?? {};
  const { container = replica.container, isPrevious: previous } = end;
  const lines: string[] = [];
  try {
    for await (const { text } of podLog(client, { namespace, pod: name, container, previous, tailLines: READ_LINES })) {
      lines.push(text);
    }
    return { lines };
  } catch (error) {
    if (!isKubeError(error)) throw error;
    return { lines, trouble: error.status?.message ?? error.message };
  }
}

function shownLog({ lines, trouble }: LogEnd): string[] {
  if (trouble !== undefined) return [`  Its log cannot be read: ${trouble}`];
  if (lines.length === 0) return ['  Its log is empty.'];
  return ['  The last lines of its log:', ...lines.slice(-SHOWN_LINES).map((line) => `    | ${line}`)];
}

function isSentence(step: string): boolean {
  return /^[A-Z]/.test(step);
}

/** The complete command that the user can type. */
function typed(session: Session, found: FoundJob, command: string): string {
  const { resource, name, namespace } = found;
  if (command === 'kubectl edit')
    return session.kubectlHint(`kubectl edit ${resource.plural}.${resource.group} ${name} -n ${namespace}`);
  if (command.startsWith('kubectl')) {
    const isInNamespace = !command.includes(' nodes') && !/ -A( |$)/.test(command);
    return session.kubectlHint(isInNamespace ? `${command} -n ${namespace}` : command);
  }
  const [verb = '', ...flags] = command.split(' ');
  if (flags[0]?.includes('/') === true) return session.hint(command, namespace);
  return session.hint([verb, referenceOf(found), ...flags].join(' '), namespace);
}
