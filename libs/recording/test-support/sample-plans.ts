/**
 * Writes {@link RECORDED_PLANS} from recordings of unit tests, or from that file. `--accept` also writes runs whose
 * plan has changed. `--compare` only prints differences.
 *
 *     node libs/recording/test-support/sample-plans.ts [--accept|--compare] <folder or file>
 */
import { writeFile } from 'node:fs/promises';
import { RunSample } from '../src/run-sample.ts';
import { recordedLines } from '../src/record-files.ts';
import { Replay } from '../src/replay.ts';
import { MOST_BYTES, RECORDED_PLANS, recordedPlainAdapter } from './recorded-plans.ts';

const accepts = process.argv.includes('--accept');
const [path = RECORDED_PLANS] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

const replay = new Replay(recordedPlainAdapter);
const sample = new RunSample();
for await (const { line, place } of recordedLines(path)) {
  const run = replay.add(line, place);
  if (run !== undefined && (run.isSame || accepts)) sample.add(run.record);
}
process.stdout.write(`${replay.runs} runs replayed, ${replay.differing} with another plan\n`);
for (const { count, what, example } of replay.groups) process.stdout.write(`${count} x ${what}: ${example.place}\n`);
if (process.argv.includes('--compare')) {
  // Nothing is written.
} else if (path === RECORDED_PLANS && replay.differing > 0 && !accepts) {
  process.stdout.write(
    'nothing is written, because these runs would be lost: --accept replaces their plans with those of this version\n',
  );
  process.exitCode = 1;
} else {
  const { bytes, runs, leftOut } = sample.text(MOST_BYTES);
  await writeFile(RECORDED_PLANS, bytes);
  const size = `${Math.ceil(bytes.length / 1024)} KiB`;
  process.stdout.write(`${RECORDED_PLANS}: ${runs} runs, ${size}; ${leftOut} decision paths left out\n`);
}
