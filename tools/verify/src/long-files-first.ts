/**
 * The order of test files: the longest first, so that no worker is left alone with a long one at the end. How long a file
 * took, vitest remembers in `node_modules`; where it does not know, in a fresh clone, it goes by the size of the file,
 * which says nothing of specs that play a suite which lies elsewhere, or wait for training. Those come first there.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Specs of a few lines that play many cases, or train. */
const SUITES = /\/(conformance[^/]*\.integration|(training|ray-[^/]*)\.e2e)\.spec\.ts$/;

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const areAllKnown = files.every((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined);
    return areAllKnown ? sorted : suitesFirst(sorted);
  }
}

/** Keeps the order of the others, and of projects. */
export function suitesFirst<T extends Pick<TestSpecification, 'moduleId' | 'project'>>(files: readonly T[]): T[] {
  const projects = [...new Set(files.map(({ project }) => project.name))];
  return projects.flatMap((name) => {
    const own = files.filter(({ project }) => project.name === name);
    return [...own.filter(isSuite), ...own.filter((file) => !isSuite(file))];
  });
}

function isSuite({ moduleId }: { readonly moduleId: string }): boolean {
  return SUITES.test(moduleId);
}
