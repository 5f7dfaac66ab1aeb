/** Which commit is the previous version. */
import { join } from 'node:path';
import { ClusterError, runCommand } from '@muster/cluster';

export const ROOT = join(import.meta.dirname, '../../../..');

/**
 * The newest release before this commit. Before the first release: the last commit of the day before, in UTC. Undefined if the history has
 * neither, as in a shallow clone.
 */
export async function defaultPrevious(root: string = ROOT): Promise<string | undefined> {
  const tag = await git(root, 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^').catch(() => '');
  if (tag !== '') return tag;
  const seconds = Number(await git(root, 'log', '-1', '--format=%ct', 'HEAD'));
  const day = new Date(seconds * 1000).toISOString().slice(0, 10);
  return (await git(root, 'rev-list', '-1', `--before=${day}T00:00:00Z`, 'HEAD')) || undefined;
}

/** The full hash. @throws ClusterError if there is no such commit */
export async function commitOf(reference: string, root: string = ROOT): Promise<string> {
  try {
    return await git(root, 'rev-parse', '--verify', '--end-of-options', `${reference}^{commit}`);
  } catch (error) {
    throw new ClusterError(`--previous ${reference}: this clone has no such commit (${String(error)})`);
  }
}

async function git(root: string, ...args: readonly string[]): Promise<string> {
  return (await runCommand('git', ['-C', root, ...args])).stdout.trim();
}
