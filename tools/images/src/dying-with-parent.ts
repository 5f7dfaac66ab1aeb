/**
 * The command under a wrapper by which the kernel kills it when the process that started it ends in whatever way: a
 * killed build must not go on in the background.
 */
export function dyingWithParent(command: readonly string[]): [string, string[]] {
  return ['setpriv', ['--pdeathsig', 'KILL', ...command]];
}
