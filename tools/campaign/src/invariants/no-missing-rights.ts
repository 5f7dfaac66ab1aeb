import type { Invariant } from './invariant.ts';

const NAME = 'no-missing-rights';

export const noMissingRights: Invariant = {
  name: NAME,
  statement: 'No request of an operator is refused for lack of rights, with exactly the rights of its chart.',
  check: ({ refusals }) =>
    refusals.map(({ user, request }) => ({ invariant: NAME, about: user, message: `was refused: ${request}` })),
};
