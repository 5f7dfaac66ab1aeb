import { describe, expect, it } from 'vitest';
import { ACCEPTED_PODS, REFUSED_PODS, UNREADABLE_PODS } from '../../test-support/pod-cases.ts';
import { objectProblems } from './object-problems.ts';

/** The same pods are created on an API server by `pod-problems.integration-ci.spec.ts`. */
const pathsOf = ({ metadata = {}, spec }: { metadata?: object; spec: object }) =>
  objectProblems({ kind: 'Pod', metadata: { name: 'mnist', ...metadata }, spec } as never).map(({ path }) => path);

describe('a pod', () => {
  it.each(UNREADABLE_PODS)('is refused for $what', ({ path, ...pod }) => {
    expect(pathsOf(pod)).toEqual([path]);
  });

  it.each(REFUSED_PODS)('is refused for $what', ({ path, ...pod }) => {
    expect(pathsOf(pod).map((each) => each.startsWith(path))).toEqual([true]);
  });

  it.each(ACCEPTED_PODS)('is accepted with $what', (pod) => {
    expect(pathsOf(pod)).toEqual([]);
  });
});
