/** `muster record export <job>`: writes the recorded reconcile runs of one job to a file, for a bug report. */
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { HiddenValues, hiddenRecord, taggedJson, type RecordedLine, type RunRecord } from '@muster/recording';
import type { Command } from 'commander';
import { withRecordedJob, withRecordingOptions, type RecordingOptions } from '../history/read-recording.ts';
import type { Collector } from '../history/recorded-job.ts';
import { recordedAdapter } from '../replay/recorded-adapters.ts';
import { note, warn } from '../terminal/output.ts';

const MIB = 1024 * 1024;

interface Options extends RecordingOptions {
  readonly output?: string;
  readonly size: string;
}

export function registerRecordCommands(program: Command): void {
  const record = program.command('record').description('Export recorded reconcile runs of a job.');
  withRecordingOptions(record.command('export'))
    .description(
      'Write the recorded runs of one job to a file, which muster replay and muster history read. Values of environment variables ' +
        'are left out, also if the operator recorded them. Read the file before you publish it: it contains the manifest.',
    )
    .argument('<job>', 'name or kind/name')
    .option('-o, --output <file>', 'file to write (default: <job>.jsonl.gz)')
    .option('--size <MiB>', 'largest size before compression; the oldest runs are left out', '16')
    .addHelpText(
      'after',
      `
Examples:
  muster record export mnist
  muster record export mnist -n team --recording runs -o mnist.jsonl.gz
  muster history mnist --recording mnist.jsonl.gz`,
    )
    .action(async (reference: string, options: Options, command: Command) => {
      const mostBytes = Number(options.size) * MIB;
      if (!(mostBytes > 0)) command.error('error: --size: expected a number above 0', { exitCode: 2 });
      await withRecordedJob(
        reference,
        options,
        () => new ExportedLines(),
        async ({ job, runs }) => {
          const file = options.output ?? `${job.name}.jsonl.gz`;
          const lines = runs.within(mostBytes);
          const text = lines.map((line) => `${line}\n`).join('');
          await writeFile(file, file.endsWith('.gz') ? gzipSync(text) : text, { mode: 0o600 });
          const left = runs.lines.length - lines.length;
          if (left > 0) warn(`the oldest ${left} lines do not fit into the file: raise --size`);
          if (runs.refused > 0) warn(`${runs.refused} runs are left out: their plans depend on environment variables`);
          note(`${file}: ${lines.length} lines. Read it before you publish it: it contains the manifest of the job.`);
        },
      );
    });
}

class ExportedLines implements Collector {
  readonly #values = new HiddenValues();
  readonly lines: string[] = [];
  refused = 0;

  add(record: RunRecord): void {
    const hidden = hiddenRecord(this.#values, record, recordedAdapter);
    if (hidden === undefined) this.refused++;
    else this.lines.push(taggedJson(hidden));
  }

  addDeletion(_atMs: number, { line }: RecordedLine): void {
    this.lines.push(line);
  }

  /** The newest lines. */
  within(mostBytes: number): string[] {
    let bytes = 0;
    const first = this.lines.findLastIndex((line) => (bytes += Buffer.byteLength(line) + 1) > mostBytes);
    return this.lines.slice(first + 1);
  }
}
