/** Runs `muster why` for a job, and checks its output. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExpectedAnswer, Fault, Place } from './fault.ts';

const CLI = join(import.meta.dirname, '../../../apps/cli/bin/muster.js');
const LIMIT_MS = 180_000;
const run = promisify(execFile);

export interface Answer {
  /** The first line, without the name of the job. */
  readonly headline: string;
  /** The lines between the first line and `Next:`. */
  readonly findings: readonly string[];
  readonly next: readonly string[];
}

export async function whyAnswer({ resource, name }: Fault, { kubeconfig, namespace }: Place): Promise<Answer> {
  const reference = `${resource.kind.toLowerCase()}/${name}`;
  const args = [CLI, 'why', reference, '-n', namespace, '--kubeconfig', kubeconfig];
  const { stdout } = await run(process.execPath, args, { timeout: LIMIT_MS, env: { ...process.env, NO_COLOR: '1' } });
  if (stdout === '') throw new Error('muster why printed nothing');
  return parseAnswer(stdout);
}

export function parseAnswer(page: string): Answer {
  const [first = '', ...rest] = page.trimEnd().split('\n');
  const at = rest.lastIndexOf('Next:');
  const findings = (at < 0 ? rest : rest.slice(0, at)).filter((line) => line !== '');
  const next = at < 0 ? [] : rest.slice(at + 1).map((line) => line.trim());
  // Job names have no spaces: `PyTorchJob default/mnist has failed …`.
  const headline = first.split(' ').slice(2).join(' ');
  return { headline, findings, next };
}

/** Differences from what is expected. */
export function wrongIn({ headline, findings, next }: Answer, expected: ExpectedAnswer | undefined): string[] {
  if (expected === undefined) return ['answers.ts has no expected answer'];
  const whole = [headline, ...findings].join('\n');
  return [
    ...expected.headline.filter((text) => !headline.includes(text)).map((text) => `the headline lacks "${text}"`),
    ...(expected.cause ?? []).filter((text) => !whole.includes(text)).map((text) => `the answer lacks "${text}"`),
    ...(next[0]?.includes(expected.next) === true ? [] : [`the first next step is not "${expected.next}"`]),
    ...repeatedSentences([headline, ...findings]).map((text) => `"${text}" is printed twice`),
  ];
}

const LEAST_SENTENCE = 30;

/** Sentences that are printed twice, except in log lines. */
export function repeatedSentences(lines: readonly string[]): string[] {
  const sentences = lines
    .filter((line) => !/^\s+\|/.test(line))
    .flatMap((line) => line.split(/(?<=[.:;]) | \| /))
    .map((sentence) => sentence.trim().replace(/[.:;]$/, ''))
    .filter(({ length }) => length >= LEAST_SENTENCE);
  return [...new Set(sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index))];
}
