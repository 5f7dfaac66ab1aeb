/** `muster history <job>`: the decisions about a job, each with the change that caused it, from recorded reconcile runs. */
import { Option, type Command } from 'commander';
import { historyPage } from '../history/history-page.ts';
import { JobHistory } from '../history/job-history.ts';
import { withRecordedJob, withRecordingOptions, type RecordingOptions } from '../history/read-recording.ts';
import type { Collector } from '../history/recorded-job.ts';
import { recordedAdapter } from '../replay/recorded-adapters.ts';
import { objectText } from '../terminal/object-text.ts';
import { out } from '../terminal/output.ts';

interface Options extends RecordingOptions {
  readonly output: 'lines' | 'json' | 'yaml';
}

export function registerHistoryCommand(program: Command): void {
  withRecordingOptions(program.command('history'))
    .description(
      'List each decision of the operator about a job with the change that caused it, also after the job is deleted. ' +
        'The operator has to record reconcile runs (recording.enabled of its chart, --record).',
    )
    .argument('<job>', 'name or kind/name')
    .addOption(new Option('-o, --output <form>', 'output format').choices(['lines', 'json', 'yaml']).default('lines'))
    .addHelpText(
      'after',
      `
Examples:
  muster history mnist
  muster history pytorchjob/mnist -n team --recording runs
  muster history mnist -o json | jq -r '.entries[].decisions[]'`,
    )
    .action((reference: string, options: Options) =>
      withRecordedJob(reference, options, historyCollector, ({ job, runs: { history } }) => {
        const { entries } = history;
        if (options.output === 'lines') out(historyPage(job, entries));
        else out(objectText({ job, entries }, options.output));
      }),
    );
}

function historyCollector(): Collector & { readonly history: JobHistory } {
  const history = new JobHistory(({ kind }) => recordedAdapter(kind));
  return {
    history,
    add: (record, { place }) => history.add(record, place),
    addDeletion: (atMs, { place }) => history.addDeletion(atMs, place),
  };
}
