/** Every command answers `--help`, however deep it is. */
import { describe, expect, it } from 'vitest';
import { muster } from '../test-support/command-line.ts';

/** The names in the parts of a help text that list commands. */
function commandsIn(page: string): string[] {
  const [, ...lists] = page.split(/\n(?:Jobs|Manifests|Clusters and operators|Commands):\n/);
  return [...lists.join('\n').matchAll(/^ {2}([a-z][\w-]*)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
}

async function walk(path: readonly string[]): Promise<string[]> {
  const { code, out, err } = await muster([...path, '--help']).ended;
  expect({ path, code, err }).toEqual({ path, code: 0, err: '' });
  expect(out).toContain(`Usage: ${['muster', ...path].join(' ')}`);
  const found = [path.join(' ')];
  for (const name of commandsIn(out)) found.push(...(await walk([...path, name])));
  return found;
}

describe('--help', () => {
  it('prints the usage of every command', async () => {
    const found = await walk([]);
    const some = ['submit', 'list', 'delete', 'cluster up', 'operator', 'dashboards', 'version'];
    expect(found).toEqual(expect.arrayContaining(some));
  });
});
