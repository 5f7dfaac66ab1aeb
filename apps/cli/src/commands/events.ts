/** `muster events <job>`: lists the events of a job and its pods, ordered by time. */
import { once } from 'node:events';
import { EVENTS, type Event, type Pod } from '@muster/job-api';
import { createInformer } from '@muster/kube';
import { Option, type Command } from 'commander';
import { findJob, titleOf, type FoundJob } from '../jobs/find-job.ts';
import { countOf, isAbout, jobEvents, timeOf } from '../jobs/job-events.ts';
import { listPods } from '../jobs/list-pods.ts';
import { inSession, withClusterOptions, type ClusterOptions, type Session } from '../session.ts';
import { note, out } from '../terminal/output.ts';
import { objectText } from '../terminal/object-text.ts';
import { wrapped } from '../terminal/wrap.ts';

interface Options extends ClusterOptions {
  readonly follow?: boolean;
  readonly output: 'lines' | 'json' | 'yaml';
}

export function registerEventsCommand(program: Command): void {
  withClusterOptions(program.command('events'))
    .description('List the events of a job and its pods, ordered by time.')
    .argument('<job>', 'name or kind/name')
    .option('-f, --follow', 'print new events until Ctrl-C')
    .addOption(new Option('-o, --output <form>', 'output format').choices(['lines', 'json', 'yaml']).default('lines'))
    .addHelpText(
      'after',
      `
Examples:
  muster events mnist
  muster events -f mnist -n team
  muster events mnist -o json | jq -r '.items[].reason'`,
    )
    .action((reference: string, options: Options) =>
      inSession(options, async (session) => {
        const found = await findJob(session.client, reference, session.namespace);
        const pods = await listPods(session.client, found);
        if (options.follow === true) return follow(session, found, pods);
        const events = await jobEvents(session.client, found, pods);
        if (options.output === 'lines') {
          // By default, the API server deletes events after an hour.
          if (events.length === 0)
            note(`No events of ${titleOf(found)} and its pods: none were emitted yet, or they have expired.`);
          return events.forEach(print);
        }
        out(objectText({ apiVersion: 'v1', kind: 'List', items: events }, options.output));
      }),
    );
}

function print(event: Event): void {
  out(`${wrapped(eventLine(event).trimEnd())}\n`);
}

/** `2026-11-22T19:58:03Z  Warning  FailedCreatePod  PyTorchJob/mnist  (3 times) note`. */
export function eventLine(event: Event): string {
  const { type = '', reason = '', regarding, note = '' } = event;
  const time = timeOf(event).replace(/[.]\d+/, '');
  const count = countOf(event);
  const times = count > 1 ? `(${count} times) ` : '';
  const about = `${regarding?.kind ?? ''}/${regarding?.name ?? ''}`;
  return `${time}  ${type.padEnd(7)}  ${reason}  ${about}  ${times}${note.trim()}\n`;
}

async function follow(session: Session, found: FoundJob, pods: readonly Pod[]): Promise<void> {
  const { client, signal } = session;
  session.interruptNotice = `Interrupted: ${titleOf(found)} continues.`;
  // Without the permission to list events, an informer would retry forever.
  await jobEvents(client, found, pods);
  const events = createInformer(client, EVENTS, { namespaces: [found.namespace] });
  const isOurs = (event: Event) => isAbout(found, pods, event);
  try {
    events.start();
    await events.waitForSync(signal);
    [...events.list()]
      .filter(isOurs)
      .sort((a, b) => timeOf(a).localeCompare(timeOf(b)))
      .forEach(print);
    let hasStarted = false;
    const printNew = (event: Event) => hasStarted && isOurs(event) && print(event);
    events.subscribe({ added: printNew, updated: (_before, event) => printNew(event) });
    hasStarted = true;
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  } finally {
    await events.stop();
  }
}
