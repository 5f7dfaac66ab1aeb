/**
 * The unit tests of projects in one vitest. The report of each project, `reports/unit/<project>.json`, is an output of its task: Nx caches
 * it with the result, so a cached run still has the number of passed tests.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { batchOf, oneOf, ownerOf, type Project, type ProjectResult, type WorkContext } from './project-batch.ts';

export const runUnitTests = batchOf(work);
export const runUnitTestsOfOne = oneOf(work);

/** The fields that are read of vitest's JSON report (Jest's format); the rest is passed on. */
interface Report {
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  /** Why the file could not be loaded. */
  readonly message?: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

async function work(projects: readonly Project[], { root, all }: WorkContext): Promise<Map<string, ProjectResult>> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-unit-'));
  try {
    const report = join(folder, 'report.json');
    const hasPassed = await vitest(projects, root, report);
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
    const files = testResults.map((file) => ({ ...file, name: relative(root, file.name) }));
    // If every file has passed but vitest failed, the error came from outside the tests and belongs to no project.
    const isUnexplained = !hasPassed && files.every(({ status }) => status === 'passed');
    const ofProject = async ({ name }: Project): Promise<[string, ProjectResult]> => {
      const own = files.filter((file) => ownerOf(file.name, all)?.name === name);
      await writeReport(join(root, 'reports/unit', `${name}.json`), { testResults: own });
      const success = !isUnexplained && own.every(({ status }) => status === 'passed');
      return [name, { success, terminalOutput: failures(own).join('\n') }];
    };
    return new Map(await Promise.all(projects.map(ofProject)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The failures in a few lines: vitest itself prints all details, and Nx repeats this at the end. */
function failures(files: readonly TestFile[]): string[] {
  return files
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message = '', assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      const cases = failed.map(({ fullName, failureMessages }) => `${fullName}: ${firstLine(failureMessages[0])}`);
      return [`${name}: ${firstLine(message)}`, ...cases];
    });
}

function firstLine(text = ''): string {
  return text.split('\n')[0] ?? '';
}

/** Whether vitest exited with 0. Throws if it cannot be started. */
async function vitest(projects: readonly Project[], root: string, report: string): Promise<boolean> {
  const folders = projects.filter((project) => project.root !== '.').map((project) => `${project.root}/`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const args = ['run', '--project', 'unit', '--passWithNoTests', ...reporters, ...folders];
  const child = spawn(join(root, 'node_modules/.bin/vitest'), args, { cwd: root, env: ownEnv(), stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}

/** The environment without Nx's variables: tests must behave the same under Nx and under vitest alone. */
function ownEnv(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...env } = process.env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('NX_')));
}

async function writeReport(path: string, report: Report): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(report));
}
