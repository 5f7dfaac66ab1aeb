/**
 * Checks that the tests of docs/maintainers/upstream-reports.md exist: each file in the last column, and each quoted part of a test's name in
 * the file before it. The target `links` runs it.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const PAGE = 'docs/maintainers/upstream-reports.md';
/** Files are named by path, or by the end of it. */
const TEST_FILES = globSync('{apps,libs,tools}/**/*.ts', { exclude: (path) => basename(path) === 'node_modules' });
const FILE_OR_NAME = /`(?<file>[^`]+(?:\.spec|-cases))`|`(?<exact>libs\/[^`]+)`|"(?<name>[^"]+)"/g;

function testsIn(cell: string): string[] {
  const problems: string[] = [];
  let text: string | undefined;
  for (const { groups = {} } of cell.matchAll(FILE_OR_NAME)) {
    const { file = groups['exact'], name } = groups;
    if (file !== undefined) {
      const found = existsSync(`${file}.ts`)
        ? [`${file}.ts`]
        : TEST_FILES.filter((path) => path.endsWith(`/${file}.ts`));
      text = found.map((path) => readFileSync(path, 'utf8').replaceAll(String.raw`\'`, "'")).join('\n');
      if (found.length === 0) problems.push(`there is no test file ${file}.ts`);
    } else if (name !== undefined && text?.includes(name) !== true) {
      problems.push(`no test in the file named before it has "${name}" in its name`);
    }
  }
  return problems;
}

const problems = readFileSync(PAGE, 'utf8')
  .split('\n')
  .flatMap((line, index) => {
    const cells = line.split('|');
    return cells.length === 5 ? testsIn(cells[3] ?? '').map((problem) => `${PAGE}:${index + 1}: ${problem}`) : [];
  });
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
