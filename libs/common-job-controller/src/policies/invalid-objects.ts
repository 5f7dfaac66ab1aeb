/** If the API server's validation rejects the pods, only a changed spec helps. */
import { generationOf } from '../model/job-identity.ts';
import type { Shortage } from '../model/shortage.ts';
import type { World } from '../world/world.ts';

/** Undefined if there is none of the present spec. */
export function invalidObjectOf({ invalidObject, manifest }: World): World['invalidObject'] {
  return invalidObject?.generation === generationOf(manifest) ? invalidObject : undefined;
}

export function hasInvalidObject(world: World): boolean {
  return invalidObjectOf(world) !== undefined;
}

export function shortageOfInvalidObject(world: World): Shortage[] {
  const invalidObject = invalidObjectOf(world);
  return invalidObject === undefined ? [] : [{ reason: 'FailedCreate', message: noPodsBecause(invalidObject.message) }];
}

export function noPodsBecause(message: string): string {
  return `${message}. No pods are created until the job's spec is changed.`;
}
