import { describe, expect, it, vi } from 'vitest';
import { hintsOf } from './session.ts';

describe('a hint', () => {
  it('names the namespace of the job unless it is the default one', () => {
    expect(hintsOf({}, 'default').hint('wait mnist', 'team')).toBe('muster wait mnist -n team');
    expect(hintsOf({}, 'team').hint('wait mnist', 'team')).toBe('muster wait mnist -n team');
    expect(hintsOf({}, 'team').hint('wait mnist', 'default')).toBe('muster wait mnist -n default');
    expect(hintsOf({}, 'default').hint('wait mnist', 'default')).toBe('muster wait mnist');
    expect(hintsOf({ namespace: 'default' }, 'team').hint('wait mnist', 'default')).toBe(
      'muster wait mnist -n default',
    );
  });

  it.each([
    ['npx', "'muster'", 'npx muster wait mnist'],
    ['npx', "'vitest'", 'muster wait mnist'],
    ['test', 'muster', 'muster wait mnist'],
  ])('begins with the command that the user typed: %s, %s', (event, script, expected) => {
    vi.stubEnv('npm_lifecycle_event', event);
    vi.stubEnv('npm_lifecycle_script', script);
    expect(hintsOf({}, 'default').hint('wait mnist', 'default')).toBe(expected);
    vi.unstubAllEnvs();
  });

  it('has the flags for the same cluster and user, also for kubectl', () => {
    const { hint, kubectlHint } = hintsOf({ context: 'blue', as: "o'hara", asGroup: ['dev', 'ops'] }, 'default');
    const access = ` --context blue --as 'o'\\''hara' --as-group dev --as-group ops`;
    expect(hint('logs mnist', 'default')).toBe(`muster logs mnist${access}`);
    expect(kubectlHint('kubectl get nodes')).toBe(`kubectl get nodes${access}`);
  });
});
