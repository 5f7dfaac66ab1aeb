/** `muster replay <path>`: plans recorded reconcile runs again, and prints the differences. */
import { writeFile } from 'node:fs/promises';
import { RunSample, recordedLines, Replay, type Replayed } from '@muster/recording';
import type { Command } from 'commander';
import { changedRun, leftOut, replayReport } from '../replay/replay-report.ts';
import { recordedAdapter } from '../replay/recorded-adapters.ts';
import { endWithError } from '../terminal/end-with-error.ts';
import { note, out, warn } from '../terminal/output.ts';

const MIB = 1024 * 1024;

/** Default limit of a sample, compressed. */
const MOST_MIB = 2;

interface Options {
  readonly sample?: string;
  readonly sampleSize: string;
  readonly accept?: boolean;
  readonly each?: boolean;
}

export function registerReplayCommand(program: Command): void {
  program
    .command('replay')
    .description(
      'Plan reconcile runs that an operator recorded (--record) again with this version, and print the differences. ' +
        'Contacts no cluster. Exits 0 if all plans are the same, else 1.',
    )
    .argument('<path>', 'file of recorded runs, or a folder with such files (.jsonl, .jsonl.gz)')
    .option(
      '--sample <file>',
      'write one run for each decision path to this file, compressed; without runs whose plan differs',
    )
    .option('--each', 'also list the runs whose plan differs, with the decisions of both')
    .option('--accept', 'also add runs whose plan differs to the sample, with the plan of this version')
    .option('--sample-size <MiB>', 'largest size of that file; the longest runs are left out', String(MOST_MIB))
    .addHelpText(
      'after',
      `
Examples:
  muster operator pytorch-elastic --record runs
  muster replay runs
  muster replay runs --each
  muster replay runs --sample sample.jsonl.gz
  muster replay sample.jsonl.gz --accept --sample sample.jsonl.gz`,
    )
    .action(async (path: string, options: Options, command: Command) => {
      const mostBytes = Number(options.sampleSize) * MIB;
      if (!(mostBytes > 0)) command.error('error: --sample-size: expected a number above 0', { exitCode: 2 });
      const sample = new RunSample();
      const changed: string[] = [];
      const replay = await replayed(path, (run, place) => {
        if (options.each === true && !run.isSame) changed.push(changedRun(run, place));
        if (run.isSame || options.accept === true) sample.add(run.record);
      }).catch((error: unknown) => endWithError(command, error instanceof Error ? error.message : String(error)));
      for (const each of leftOut(replay)) warn(each);
      if (replay.runs === 0) endWithError(command, `${path} has no run that can be planned again`);
      out(replayReport(replay));
      if (changed.length > 0) out(`\n${changed.join('\n')}`);
      if (options.sample !== undefined) await write(sample, options.sample, mostBytes);
      if (replay.differing > 0 && options.accept !== true) process.exitCode = 1;
    });
}

async function replayed(path: string, each: (run: Replayed, place: string) => void): Promise<Replay> {
  const replay = new Replay(recordedAdapter);
  for await (const { line, place } of recordedLines(path)) {
    const run = replay.add(line, place);
    if (run !== undefined) each(run, place);
  }
  return replay;
}

async function write(sample: RunSample, file: string, mostBytes: number): Promise<void> {
  const { bytes, runs, leftOut: missing } = sample.text(mostBytes);
  await writeFile(file, bytes);
  note(`${file}: ${runs} runs, ${Math.ceil(bytes.length / 1024)} KiB`);
  if (missing > 0) warn(`${missing} decision paths do not fit into the sample: raise --sample-size`);
}
