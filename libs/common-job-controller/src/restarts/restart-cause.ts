import { containersOf, type Pod } from '@muster/job-api';
import { endOf } from '../pods/pod-end.ts';
import type { RestartCause } from '../model/status-write.ts';

export function recreationCause(pod: Pod): RestartCause {
  const end = endOf(pod);
  if (end !== 'ProgramFailed') return end;
  return containersOf(pod).some(({ state }) => isOutOfMemory(state?.terminated)) ? 'OutOfMemory' : end;
}

/** The cause is how the previous run ended. */
export function inPlaceCause(pod: Pod): RestartCause {
  const ends = containersOf(pod).map(({ state, lastState }) => lastState?.terminated ?? state?.terminated);
  return ends.some(isOutOfMemory) ? 'OutOfMemory' : 'ProgramFailed';
}

function isOutOfMemory(end: { readonly reason?: string } | undefined): boolean {
  return end?.reason === 'OOMKilled';
}
