/** `spec.managedBy` of the kinds of `ray.io`. */
import * as z from 'zod';
import type { Rule } from './rule.ts';
import { MANAGED_BY_MULTIKUEUE } from './run-policy.ts';

/** Value of `managedBy` for Muster, the same as unset: the name of KubeRay's operator, which Muster replaces. */
export const MANAGED_BY_KUBERAY = 'ray.io/kuberay-operator';

export function rayManagedBySchema(what: 'cluster' | 'job' | 'service') {
  return z
    .enum([MANAGED_BY_KUBERAY, MANAGED_BY_MULTIKUEUE])
    .describe(
      `Controller of the ${what}. ${MANAGED_BY_KUBERAY}, or unset: Muster. ${MANAGED_BY_MULTIKUEUE}: Muster ` +
        `ignores the ${what}. Cannot be changed.`,
    );
}

/** Rule of the spec with the field. */
export function managedByIsImmutable(what: 'cluster' | 'job' | 'service'): Rule<unknown> {
  return {
    cel: 'has(self.managedBy) == has(oldSelf.managedBy) && (!has(self.managedBy) || self.managedBy == oldSelf.managedBy)',
    message: `field is immutable: to use another controller, delete the ${what} and create it again`,
    at: ['managedBy'],
  };
}
