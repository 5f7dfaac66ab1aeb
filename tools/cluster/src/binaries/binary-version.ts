import { runCommand } from '../run-command.ts';

/** The first `x.y.z` in the output of a program, or undefined. */
export function parseVersion(output: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(output)?.[0];
}

/** Whether two `x.y.z` versions differ at most in the patch number, which Kubernetes calls compatible. */
export function isSameMinor(one: string, other: string): boolean {
  const minor = (version: string) => version.split('.').slice(0, 2).join('.');
  return minor(one) === minor(other);
}

/** The version that a binary prints; undefined if it cannot be run or prints none. */
export async function readBinaryVersion(
  path: string,
  versionArguments: readonly string[],
): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await runCommand(path, versionArguments, { timeoutMs: 10_000 });
    return parseVersion(stdout) ?? parseVersion(stderr);
  } catch {
    // A program that does not support these arguments is as unusable as one of the wrong version.
    return undefined;
  }
}
