/** If the API server's validation rejects the pods, only a changed spec helps. */
import type { Shortage } from '../model/shortage.ts';
import type { World } from '../world/world.ts';

export function isRefused({ refusal, manifest }: World): boolean {
  return refusal !== undefined && refusal.generation === manifest.metadata?.generation;
}

export function shortageOfRefusal(world: World): Shortage[] {
  return isRefused(world) ? [{ reason: 'FailedCreate', message: noPodsBecause(world.refusal?.message) }] : [];
}

export function noPodsBecause(message = ''): string {
  return `${message}. No pods are created until the job's spec is changed.`;
}
