import { describe, expect, it } from 'vitest';
import { survivorLine } from './survivor-reporter.ts';

const TEXT = `function decide(a: number) {
  if (a > 1) {
    return true;
  }
  return false;
}
`;

const at = (startLine: number, startColumn: number, endLine: number, endColumn: number) => ({
  start: { line: startLine, column: startColumn },
  end: { line: endLine, column: endColumn },
});

const mutant = {
  id: '1',
  fileName: `${process.cwd()}/libs/a.ts`,
  mutatorName: 'EqualityOperator',
  replacement: 'a >= 1',
  status: 'Survived' as const,
  location: at(2, 7, 2, 12),
};

describe('survivorLine', () => {
  it('names the place and the code before and after the change', () => {
    expect(survivorLine(mutant, TEXT)).toBe('libs/a.ts:2:7 survived EqualityOperator: a > 1 => a >= 1');
  });

  it('prints code of several lines on one line, and reports code that no test reaches', () => {
    const block = {
      ...mutant,
      status: 'NoCoverage' as const,
      mutatorName: 'BlockStatement',
      replacement: '{}',
      location: at(2, 14, 4, 4),
    };
    expect(survivorLine(block, TEXT)).toBe('libs/a.ts:2:14 no test reaches BlockStatement: { return true; } => {}');
  });

  it('shortens long code in the middle', () => {
    expect(survivorLine({ ...mutant, replacement: 'x'.repeat(100) }, TEXT)).toBe(
      `libs/a.ts:2:7 survived EqualityOperator: a > 1 => ${'x'.repeat(60)} … ${'x'.repeat(17)}`,
    );
  });
});
