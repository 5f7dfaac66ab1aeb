/**
 * Orders test files: the longest first, so that the run does not end with one long file on one worker; projects alternate, so that tests on
 * a real node run beside tests on an API server. Vitest stores durations in `node_modules`. In a fresh clone it sorts by file size, which
 * is wrong for short specs that run a suite or train: these come first.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short specs that run many cases, or train. */
const SUITES = /\/(conformance[^/]*\.integration|(training|chart-life|ray-[^/]*)\.e2e(-ci|-full)?)\.spec\.ts$/;

export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const areAllKnown = files.every((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined);
    return projectsInTurn(areAllKnown ? sorted : suitesFirst(sorted));
  }
}

type File = Pick<TestSpecification, 'moduleId' | 'project'>;

/** Keeps the order of the other files. */
export function suitesFirst<T extends File>(files: readonly T[]): T[] {
  const isSuite = ({ moduleId }: T) => SUITES.test(moduleId);
  return [...files.filter(isSuite), ...files.filter((file) => !isSuite(file))];
}

/** Keeps the order within each project. */
export function projectsInTurn<T extends File>(files: readonly T[]): T[] {
  const byProject = [...Map.groupBy(files, ({ project }) => project.name).values()];
  const longest = Math.max(0, ...byProject.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => byProject.flatMap((own) => own[turn] ?? [])).flat();
}
