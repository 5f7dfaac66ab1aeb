/**
 * Checks the types of projects like `tsc -p .`, in one program of those projects and their imports. A folder of a project with its own
 * tsconfig.json is checked with that: a page runs in a browser, with a DOM and without Node.
 */
import { globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { batchOf, oneOf, ownerOf, type Project, type ProjectResult, type WorkContext } from './project-batch.ts';

export const checkTypes = batchOf(work);
export const checkTypesOfOne = oneOf(work);

function work(projects: readonly Project[], { root, all }: WorkContext): Promise<Map<string, ProjectResult>> {
  const { options, fileNames, errors } = readConfig(configIn(root));
  const ownerIn = (file: string) => ownerOf(relative(root, file), all)?.name;
  const wanted = new Set(projects.map(({ name }) => name));
  const files = fileNames.filter((file) => wanted.has(ownerIn(file) ?? ''));
  const program = ts.createProgram({ rootNames: files, options, configFileParsingDiagnostics: errors });
  // An error in the settings applies to each project.
  const global = [...errors, ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
  const found = new Map(projects.map(({ name }) => [name, [...global]]));
  for (const file of files) {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`${file} belongs to tsconfig.json but is not in the program`);
    const wrong = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    found.get(ownerIn(file) ?? '')?.push(...wrong);
  }
  for (const { name, root: folder } of projects.filter((project) => project.root !== '.')) {
    for (const file of globSync('*/tsconfig.json', { cwd: join(root, folder) })) {
      found.get(name)?.push(...checked(readConfig(join(root, folder, file))));
    }
  }
  return Promise.resolve(
    new Map(
      [...found].map(([name, wrong]) => [name, { success: wrong.length === 0, terminalOutput: format(wrong, root) }]),
    ),
  );
}

function configIn(root: string): string {
  const file = ts.findConfigFile(root, (path) => ts.sys.fileExists(path));
  if (file === undefined) throw new Error(`tsconfig.json is missing in ${root}`);
  return file;
}

function checked({ options, fileNames, errors }: ts.ParsedCommandLine): ts.Diagnostic[] {
  return [...errors, ...ts.getPreEmitDiagnostics(ts.createProgram({ rootNames: fileNames, options }))];
}

function readConfig(file: string): ts.ParsedCommandLine {
  const read = ts.readConfigFile(file, (path) => ts.sys.readFile(path));
  if (read.error !== undefined) throw new Error(format([read.error], dirname(file)));
  return ts.parseJsonConfigFileContent(read.config, ts.sys, dirname(file));
}

function format(diagnostics: readonly ts.Diagnostic[], root: string): string {
  return ts.formatDiagnostics(diagnostics, {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (file) => file,
    getNewLine: () => '\n',
  });
}
