/** A reporter of StrykerJS that prints each survivor at once, so that an interrupted run has a result, and prints the progress. */
import type { Stryker } from '@stryker-mutator/core';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** Prints the progress after this many mutants. */
const STEP = 50;

export const isNoticed = ({ status }: Pick<MutantResult, 'status'>) => status === 'Killed' || status === 'Timeout';
export const hasSurvived = ({ status }: Pick<MutantResult, 'status'>) =>
  status === 'Survived' || status === 'NoCoverage';

/** One line: the location, and the code before and after the change. */
export function survivorLine(mutant: MutantResult, text: string): string {
  const { fileName, location, mutatorName, replacement, status } = mutant;
  const { start, end } = location;
  const lines = text.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  const before = lines.map((line, at) =>
    line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : line.length),
  );
  const place = `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`;
  const reason = status === 'NoCoverage' ? 'no test reaches' : 'survived';
  return `${place} ${reason} ${mutatorName}: ${short(before.join(' '))} => ${short(replacement)}`;
}

function short(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 60)} … ${line.slice(-17)}`;
}

interface Plans {
  readonly mutantPlans: readonly { readonly plan: string }[];
}

const state = { planned: 0, tested: 0, survived: 0 };

const reporter = {
  onMutationTestingPlanReady({ mutantPlans }: Plans) {
    // Other mutants are skipped.
    state.planned = mutantPlans.filter(({ plan }) => plan === 'Run').length;
  },
  onMutantTested(mutant: MutantResult) {
    if (hasSurvived(mutant)) {
      state.survived++;
      console.log(survivorLine(mutant, readFileSync(mutant.fileName, 'utf8')));
    }
    if (mutant.status === 'Ignored') return;
    state.tested++;
    if (state.tested % STEP === 0)
      console.log(`${state.tested} of ${state.planned} mutants tested, ${state.survived} survived so far`);
  },
};

/** The export that StrykerJS looks for in a plugin. */
export const strykerPlugins = [{ kind: 'Reporter', name: 'survivors', value: reporter }];
