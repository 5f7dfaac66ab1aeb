/** Jobs whose pods are rejected by the API server's validation: only a changed spec helps. */
import type { Shortage } from '../model/shortage.ts';
import type { World } from '../world/world.ts';

/** True if pods of this generation were rejected, so that another attempt is useless. */
export function isRefused({ refusal, manifest }: World): boolean {
  return refusal !== undefined && refusal.generation === manifest.metadata?.generation;
}

/** The reason why a running job lacks pods that the API server rejects. */
export function shortageOfRefusal(world: World): Shortage[] {
  return isRefused(world) ? [{ reason: 'FailedCreate', message: noPodsBecause(world.refusal?.message) }] : [];
}

/** The message to the users of a running job whose pods the API server rejects. */
export function noPodsBecause(message = ''): string {
  return `${message}. No pod is made until the job's spec is changed.`;
}
