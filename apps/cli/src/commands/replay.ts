/** `muster replay <path>`: plans recorded passes again, and prints in what the plans differ. */
import { writeFile } from 'node:fs/promises';
import { PassSample, recordedLines, Replay, type Replayed } from '@muster/common-job-controller';
import type { Command } from 'commander';
import { leftOut, replayReport } from '../replay/replay-report.ts';
import { recordedAdapter } from '../replay/recorded-adapters.ts';
import { endWithError } from '../terminal/end-with-error.ts';
import { note, out, warn } from '../terminal/output.ts';

const MIB = 1024 * 1024;

/** Of a sample, compressed. */
const MOST_MIB = 2;

interface Options {
  readonly sample?: string;
  readonly sampleSize: string;
  readonly accept?: boolean;
}

export function registerReplayCommand(program: Command): void {
  program
    .command('replay')
    .description(
      'Plan the passes again that an operator has recorded (--record), with the code of this version, and print in what the plans differ. ' +
        'Nothing is sent to a cluster. Exits 0 if all plans are the same, else 1.',
    )
    .argument('<path>', 'a file of recorded passes, or a folder with such files (.jsonl, .jsonl.gz)')
    .option(
      '--sample <file>',
      'write one pass for each decision path into this file, compressed; without those whose plan differs',
    )
    .option('--accept', 'take passes whose plan differs into the sample as well, with the plan of this version')
    .option('--sample-size <MiB>', 'the largest size of that file: the longest passes are left out', String(MOST_MIB))
    .addHelpText(
      'after',
      `
Examples:
  muster operator pytorch-elastic --record passes
  muster replay passes
  muster replay passes --sample sample.jsonl.gz
  muster replay sample.jsonl.gz --accept --sample sample.jsonl.gz`,
    )
    .action(async (path: string, options: Options, command: Command) => {
      const mostBytes = Number(options.sampleSize) * MIB;
      if (!(mostBytes > 0)) command.error('error: --sample-size: expected a number above 0', { exitCode: 2 });
      const sample = new PassSample();
      const replay = await replayed(path, (pass) => {
        if (pass.isSame || options.accept === true) sample.add(pass.record);
      }).catch((error: unknown) => endWithError(command, error instanceof Error ? error.message : String(error)));
      for (const each of leftOut(replay)) warn(each);
      if (replay.passes === 0) endWithError(command, `${path} has no pass that can be planned again`);
      out(replayReport(replay));
      if (options.sample !== undefined) await write(sample, options.sample, mostBytes);
      if (replay.differing > 0 && options.accept !== true) process.exitCode = 1;
    });
}

async function replayed(path: string, each: (pass: Replayed) => void): Promise<Replay> {
  const replay = new Replay(recordedAdapter);
  for await (const { line, place } of recordedLines(path)) {
    const pass = replay.add(line, place);
    if (pass !== undefined) each(pass);
  }
  return replay;
}

async function write(sample: PassSample, file: string, mostBytes: number): Promise<void> {
  const { bytes, passes, leftOut: missing } = sample.text(mostBytes);
  await writeFile(file, bytes);
  note(`${file}: ${passes} passes, ${Math.ceil(bytes.length / 1024)} KiB`);
  if (missing > 0) warn(`${missing} decision paths are not in the sample: --sample-size`);
}
