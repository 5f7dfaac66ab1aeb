/** What the exit code of a container says, as a shell and a kubelet use them. Undefined where it is the program's own. */
export function exitCodeMeaning(exitCode: number, reason = ''): string | undefined {
  if (reason === 'OOMKilled') return 'the container used more memory than its limit, and was killed';
  const known = MEANINGS.get(exitCode);
  if (known !== undefined) return known;
  return exitCode > 128 && exitCode < 192 ? `ended by signal ${exitCode - 128}` : undefined;
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [0, 'the program ended well'],
  [126, 'the command was found and cannot be executed'],
  [127, 'the command was not found in the image'],
  [128, 'the container could not be started'],
  [130, 'ended by SIGINT'],
  [132, 'SIGILL: an instruction that this processor does not have'],
  [134, 'SIGABRT: the program aborted itself, often by a failed assertion'],
  [135, 'SIGBUS: often too little shared memory (/dev/shm)'],
  [136, 'SIGFPE: an arithmetic error'],
  [137, 'SIGKILL: killed from outside, by lack of memory on the node or at the end of its grace period'],
  [139, 'SIGSEGV: the program touched memory that is not its own'],
  [143, 'SIGTERM: told to end, as when a pod is deleted, evicted or preempted'],
]);
