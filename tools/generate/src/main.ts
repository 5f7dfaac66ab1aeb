/**
 * Writes the generated files: the API reference, the flags, the metrics, the list of alerts, and the charts with their CRDs.
 * With `--check` writes nothing, and exits 1 if a file is out of date.
 */
import { mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chartFiles, type GeneratedFile } from '@muster/charts';
import { FRAMEWORKS, volcanoJobDefinition, type KindDefinition } from '@muster/job-api';
import { elasticPolicyPage } from './elastic-policy-page.ts';
import { flagsPage } from './flags-page.ts';
import { metricsPage } from './metrics-page.ts';
import { referencePage } from './reference-page.ts';
import { runbooksPage } from './runbooks-page.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Every generated file, by its path in the repository. */
async function generatedFiles(): Promise<Map<string, GeneratedFile>> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const files = await chartFiles(version);
  for (const definition of Object.values<readonly KindDefinition[]>(FRAMEWORKS).flat()) {
    files.set(`docs/users/api/${definition.singular}.md`, referencePage(definition));
  }
  files.set('docs/users/api/volcano-job.md', referencePage(volcanoJobDefinition));
  files.set('docs/users/pytorch-elastic.md', elasticPolicyPage());
  files.set('docs/administrators/flags.md', flagsPage());
  files.set('docs/administrators/metrics.md', metricsPage());
  files.set('docs/administrators/runbooks/README.md', runbooksPage());
  return files;
}

async function isCurrent(path: string, file: GeneratedFile): Promise<boolean> {
  try {
    return typeof file === 'string' ? (await readFile(path, 'utf8')) === file : (await readlink(path)) === file.linkTo;
  } catch (error) {
    // A missing file is out of date, and so is a link in place of a file, or a file in place of a link.
    if (error instanceof Error && 'code' in error && ['ENOENT', 'EINVAL', 'EISDIR'].includes(String(error.code)))
      return false;
    throw error;
  }
}

const USAGE = `usage: npm run generate -- [--check]
  --check   write nothing, and exit 1 if a file is out of date`;

const CHECK = '--check';

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(USAGE);
  const unknown = args.filter((arg) => arg !== CHECK);
  if (unknown.length > 0) {
    console.error(`unknown option: ${unknown.join(' ')}\n${USAGE}`);
    process.exitCode = 1;
    return;
  }
  await generate(args.includes(CHECK));
}

async function generate(onlyCheck: boolean): Promise<void> {
  for (const [name, file] of await generatedFiles()) {
    const path = join(ROOT, name);
    if (await isCurrent(path, file)) continue;
    if (onlyCheck) {
      console.error(`${name} is out of date: run "npm run generate" and commit the result.`);
      process.exitCode = 1;
      continue;
    }
    await mkdir(dirname(path), { recursive: true });
    if (typeof file === 'string') {
      await writeFile(path, file);
    } else {
      await rm(path, { force: true });
      await symlink(file.linkTo, path);
    }
    console.log(`wrote ${name}`);
  }
}

await main(process.argv.slice(2));
