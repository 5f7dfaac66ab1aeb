import { expect, it } from 'vitest';
import { RequestBudget } from './request-budget.ts';

it('takes those of one second at once, and refuses the rest until there is room again', () => {
  const budget = new RequestBudget(2);
  const taken = [1000, 1001, 1002, 1100, 1600, 3000].map((ms) => budget.take(ms));
  expect(taken).toEqual([true, true, false, false, true, true]);
  expect(budget.counts()).toEqual({ requests: 6, refused: 2, mostInASecond: 5 });
  expect(budget.counts()).toEqual({ requests: 0, refused: 0, mostInASecond: 0 });
});

it('refuses all at a limit of 0, and takes some once it is raised', () => {
  const budget = new RequestBudget(2);
  budget.setLimit(0);
  expect([budget.take(1000), budget.take(9000)]).toEqual([false, false]);
  budget.setLimit(2);
  expect(budget.take(10_000)).toBe(true);
});
