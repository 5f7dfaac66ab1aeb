/** A job whose pods the API server's validation has refused: only a changed spec brings them back. */
import type { Shortage } from '../model/shortage.ts';
import type { World } from '../world/world.ts';

/** The API server has refused pods made from this very spec, so making them again would only repeat that. */
export function isRefused({ refusal, manifest }: World): boolean {
  return refusal !== undefined && refusal.generation === manifest.metadata?.generation;
}

/** Why a running job lacks pods that the API server refuses for good. */
export function shortageOfRefusal(world: World): Shortage[] {
  return isRefused(world) ? [{ reason: 'FailedCreate', message: noPodsBecause(world.refusal?.message) }] : [];
}

/** What the users of a running job are told whose pods the API server refuses for good. */
export function noPodsBecause(message = ''): string {
  return `${message}. No pod is made until the job's spec is changed.`;
}
