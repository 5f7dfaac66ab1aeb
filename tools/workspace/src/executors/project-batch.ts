/**
 * An Nx executor that runs a task for many projects in one process. TypeScript, ESLint and vitest each take seconds to start and to read
 * shared files, so a process per project would make a complete run several times slower. Nx still caches each project's result separately
 * and passes only projects whose inputs have changed.
 */
import type { ExecutorContext, ProjectGraph, TaskGraph } from '@nx/devkit';

export interface Project {
  readonly name: string;
  /** Relative to the root of the workspace; `.` for the workspace itself. */
  readonly root: string;
}

export interface ProjectResult {
  readonly success: boolean;
  /** The output that Nx prints for the project, now and when the result comes from its cache. */
  readonly terminalOutput: string;
}

/** Runs the task for `projects` and returns a result for each of their names. */
export type ProjectWork = (projects: readonly Project[], context: WorkContext) => Promise<Map<string, ProjectResult>>;

export interface WorkContext {
  /** The root of the workspace, absolute. */
  readonly root: string;
  /** Every project of the workspace. */
  readonly all: readonly Project[];
}

/** The batch implementation of an executor. A project without a result has failed. */
export function batchOf(work: ProjectWork) {
  return async function* (taskGraph: TaskGraph, _inputs: unknown, _overrides: unknown, context: ExecutorContext) {
    const tasks = Object.values(taskGraph.tasks);
    const all = projectsOf(context.projectGraph);
    const wanted = new Set(tasks.map(({ target }) => target.project));
    const results = await work(
      all.filter(({ name }) => wanted.has(name)),
      { root: context.root, all },
    );
    for (const { id, target } of tasks) {
      yield { task: id, result: results.get(target.project) ?? { success: false, terminalOutput: '' } };
    }
  };
}

/** The implementation for a single project, which Nx uses with `--batch=false`. */
export function oneOf(work: ProjectWork) {
  return async (_options: unknown, { root, projectGraph, projectName = '' }: ExecutorContext) => {
    const all = projectsOf(projectGraph);
    const results = await work(
      all.filter(({ name }) => name === projectName),
      { root, all },
    );
    const { success = false, terminalOutput = '' } = results.get(projectName) ?? {};
    console.log(terminalOutput);
    return { success };
  };
}

function projectsOf({ nodes }: ProjectGraph): Project[] {
  return Object.values(nodes).map(({ name, data }) => ({ name, root: data.root }));
}

/** The project that owns the file, by the longest matching root; the workspace itself owns all other files. */
export function ownerOf(file: string, all: readonly Project[]): Project | undefined {
  const [owner] = all
    .filter(({ root }) => root === '.' || file.startsWith(`${root}/`))
    .toSorted((a, b) => b.root.length - a.root.length || (a.root === '.' ? 1 : -1));
  return owner;
}
