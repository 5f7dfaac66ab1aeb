/** Lints projects in one ESLint process. A warning fails a project like an error. */
import { relative } from 'node:path';
import { ESLint } from 'eslint';
import { batchOf, oneOf, ownerOf, type Project, type ProjectResult, type WorkContext } from './project-batch.ts';

export const lint = batchOf(work);
export const lintOne = oneOf(work);

/** Files of the workspace itself, outside its projects. */
const OF_THE_WORKSPACE = '*.{ts,mts,cts,js,mjs,cjs}';

async function work(projects: readonly Project[], { root, all }: WorkContext): Promise<Map<string, ProjectResult>> {
  const eslint = new ESLint({ cwd: root, errorOnUnmatchedPattern: false });
  const results = await eslint.lintFiles(
    projects.map((project) => (project.root === '.' ? OF_THE_WORKSPACE : project.root)),
  );
  const formatter = await eslint.loadFormatter('stylish');
  const ofProject = async ({ name }: Project): Promise<[string, ProjectResult]> => {
    const own = results.filter(({ filePath }) => ownerOf(relative(root, filePath), all)?.name === name);
    const isClean = own.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
    return [name, { success: isClean, terminalOutput: await formatter.format(own) }];
  };
  return new Map(await Promise.all(projects.map(ofProject)));
}
