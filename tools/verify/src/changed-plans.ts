/**
 * Prints which recorded reconcile runs of the samples are planned differently by this tree than by its base: how a change affects jobs.
 * The samples are those of the base, which contain its plans. Differences do not fail it: unit tests require that they are accepted.
 *
 *     npm run changed-plans -- [<base>]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Each with the command that plans its runs again. */
const SAMPLES: readonly { readonly file: string; readonly command: readonly string[] }[] = [
  {
    file: 'apps/cli/test-support/recorded-runs.jsonl.gz',
    command: ['apps/cli/bin/muster.js', 'replay', '--each'],
  },
  {
    file: 'libs/recording/test-support/recorded-plans.jsonl.gz',
    command: ['libs/recording/test-support/sample-plans.ts', '--compare'],
  },
];

const MOST_BYTES = 64 * 1024 * 1024;

/** Where the branch began; on `main` itself, the commit before. Undefined in a clone without it. */
export function baseOf(given: string | undefined, root = ROOT): string | undefined {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  if (given !== undefined) return git('rev-parse', '--verify', '--quiet', `${given}^{commit}`);
  const head = git('rev-parse', 'HEAD');
  const bases = ['origin/main', 'main'].flatMap((branch) => git('merge-base', 'HEAD', branch) ?? []);
  return bases.find((each) => each !== head) ?? git('rev-parse', '--verify', '--quiet', 'HEAD~1^{commit}');
}

function main(given: string | undefined): void {
  const base = baseOf(given);
  if (base === undefined) {
    console.log(
      `Changed plans: ${given ?? 'the base of this branch'} is not in this clone, so recorded runs are not compared.`,
    );
    if (given !== undefined) process.exitCode = 1;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'muster-plans-'));
  try {
    for (const sample of SAMPLES) compare(sample, base, join(folder, 'recorded.jsonl.gz'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compare({ file, command }: (typeof SAMPLES)[number], base: string, copy: string): void {
  const title = `Plans of ${file} at ${base.slice(0, 8)}, and of this tree`;
  let bytes: Buffer;
  try {
    bytes = execFileSync('git', ['show', `${base}:${file}`], {
      cwd: ROOT,
      maxBuffer: MOST_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    console.log(`${title}: the file did not exist.`);
    return;
  }
  writeFileSync(copy, bytes);
  console.log(`${title}:`);
  const { stdout, stderr, error } = spawnSync(process.execPath, [...command, copy], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MOST_BYTES,
  });
  if (error !== undefined) throw error;
  console.log(`${stdout}${stderr}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [given] = process.argv.slice(2);
  if (given === '--help' || given === '-h')
    console.log('usage: npm run changed-plans -- [<base>]   without a base: where the branch began');
  else main(given || undefined);
}
