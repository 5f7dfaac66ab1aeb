/** If the API server's validation rejects the pods, only a changed spec helps. */
import { generationOf } from '../model/job-identity.ts';
import type { Shortage } from '../model/shortage.ts';
import type { World } from '../world/world.ts';

/** Undefined if there is none of the present spec. */
export function refusalOf({ refusal, manifest }: World): World['refusal'] {
  return refusal?.generation === generationOf(manifest) ? refusal : undefined;
}

export function isRefused(world: World): boolean {
  return refusalOf(world) !== undefined;
}

export function shortageOfRefusal(world: World): Shortage[] {
  const refusal = refusalOf(world);
  return refusal === undefined ? [] : [{ reason: 'FailedCreate', message: noPodsBecause(refusal.message) }];
}

export function noPodsBecause(message: string): string {
  return `${message}. No pods are created until the job's spec is changed.`;
}
