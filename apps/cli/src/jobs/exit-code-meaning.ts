/** The meaning of a container's exit code, as shells and kubelets use it. Undefined if the program defines it. */
export function exitCodeMeaning(exitCode: number, reason = ''): string | undefined {
  if (reason === 'OOMKilled') return 'the container used more memory than its limit, and was killed';
  const known = MEANINGS.get(exitCode);
  if (known !== undefined) return known;
  return exitCode > 128 && exitCode < 192 ? `ended by signal ${exitCode - 128}` : undefined;
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [0, 'the program succeeded'],
  [126, 'the command was found but cannot be executed'],
  [127, 'the command was not found in the image'],
  [128, 'the container could not be started'],
  [130, 'ended by SIGINT'],
  [132, 'SIGILL: an instruction that the CPU does not support'],
  [134, 'SIGABRT: the program aborted itself, often after a failed assertion'],
  [135, 'SIGBUS: often too little shared memory (/dev/shm)'],
  [136, 'SIGFPE: an arithmetic error'],
  [137, 'SIGKILL: killed from outside, for example because the node had no memory left or the grace period was over'],
  [139, 'SIGSEGV: the program accessed invalid memory'],
  [143, 'SIGTERM: terminated, for example because the pod was deleted, evicted or preempted'],
]);
