/** Selects at random, by a seed, the functions that a mutation run changes (`mutants.ts`). */
import { createHash } from 'node:crypto';
import ts from 'typescript';

export interface SampledFunction {
  readonly file: string;
  readonly name: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** The functions at the top level of a file. */
export function functionsIn(file: string, text: string): SampledFunction[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  return source.statements.filter(ts.isFunctionDeclaration).map((statement) => ({
    file,
    name: statement.name?.text ?? 'default',
    firstLine: lineOf(statement.getStart(source)),
    lastLine: lineOf(statement.getEnd()),
  }));
}

/** The functions with these names, separated by commas; all functions if no names are given. Throws for a name that no function has. */
export function namedIn(functions: readonly SampledFunction[], names: string | undefined): readonly SampledFunction[] {
  if (names === undefined) return functions;
  return names.split(',').flatMap((wanted) => {
    const found = functions.filter(({ name }) => name === wanted);
    if (found.length === 0) throw new Error(`no function ${wanted} at the top level of these files`);
    return found;
  });
}

/**
 * Selects functions of at least `lines` lines in total, or all if there are fewer. The same seed selects the same functions until functions
 * are added or renamed, wherever they are in their files.
 */
export function sampleOf(functions: readonly SampledFunction[], seed: string, lines: number): SampledFunction[] {
  const rank = ({ file, name }: SampledFunction) =>
    createHash('sha256').update(`${seed} ${file} ${name}`).digest('hex');
  const ranked = functions.map((each) => ({ each, rank: rank(each) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const chosen: SampledFunction[] = [];
  let left = lines;
  for (const { each } of ranked) {
    if (left <= 0) break;
    chosen.push(each);
    left -= each.lastLine - each.firstLine + 1;
  }
  return chosen;
}
