/** `spec.managedBy` of the kinds of `ray.io`. */
import * as z from 'zod';
import type { Rule } from './rule.ts';
import { MANAGED_BY_MULTIKUEUE } from './run-policy.ts';

/** The value of `managedBy` that means Muster, as does leaving it out: that of the operator whose place it takes. */
export const MANAGED_BY_KUBERAY = 'ray.io/kuberay-operator';

export function rayManagedBySchema(what: 'cluster' | 'job') {
  return z
    .enum([MANAGED_BY_KUBERAY, MANAGED_BY_MULTIKUEUE])
    .describe(
      `Who looks after the ${what}: ${MANAGED_BY_KUBERAY}, or unset, is Muster; with ${MANAGED_BY_MULTIKUEUE}, Muster ` +
        `leaves the ${what} alone. Cannot be changed.`,
    );
}

/** Of the spec that has the field. */
export function managedByIsImmutable(what: 'cluster' | 'job'): Rule<unknown> {
  return {
    cel: 'has(self.managedBy) == has(oldSelf.managedBy) && (!has(self.managedBy) || self.managedBy == oldSelf.managedBy)',
    message: `field is immutable: delete the ${what} and create it anew to hand it to another controller`,
    at: ['managedBy'],
  };
}
