/**
 * Wraps a command so that the kernel kills it when the process that started it ends in any way: a killed build must not continue in the
 * background.
 */
export function killedWithParent(command: readonly string[]): [string, string[]] {
  return ['setpriv', ['--pdeathsig', 'KILL', ...command]];
}
