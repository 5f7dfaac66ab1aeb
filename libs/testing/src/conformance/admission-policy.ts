import { type KubeObject, PODS, type Resource } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import type { Fixture } from './fixture.ts';

type WithSpec = KubeObject & { spec?: object };

const policyResource = (kind: string, plural: string): Resource<WithSpec> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
});

const POLICIES = policyResource('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
const POLICY_BINDINGS = policyResource('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings');

/** Objects with this label are admitted. */
export const LABEL = 'conformance.muster.dev/approved';

/** The reason of the response, which implies its code: 403, 422, 413. */
export type Denial = 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge';

export interface Requirement {
  readonly what: string;
  readonly rule: { readonly operations: readonly string[]; readonly [field: string]: readonly string[] };
  readonly reason: Denial;
  readonly isMet: (place: PolicyPlace) => Promise<boolean>;
}

export type PolicyPlace = Pick<Fixture, 'client' | 'namespace' | 'atEnd' | 'until'>;

export const podsNeedLabel = (reason: Requirement['reason']): Requirement => ({
  what: 'pods',
  rule: { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
  reason,
  isMet: mayCreatePods,
});

/** Requires a label for writes of these objects. Returns the function that removes the policy. */
export async function requireLabel(
  place: PolicyPlace,
  { what, rule, reason, isMet }: Requirement,
): Promise<() => Promise<void>> {
  const { client, namespace } = place;
  const name = `${namespace}-${what.replaceAll(' ', '-')}-approved`;
  const subject = rule.operations.includes('DELETE') ? 'oldObject' : 'object';
  const remove = async () => {
    for (const resource of [POLICY_BINDINGS, POLICIES]) {
      await client.delete(resource, { name }).catch((error: unknown) => {
        if (!isKubeError(error, 'NotFound')) throw error;
      });
    }
  };
  place.atEnd(remove);
  await client.create(POLICIES, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [
        {
          expression: `has(${subject}.metadata.labels) && '${LABEL}' in ${subject}.metadata.labels`,
          message: `${what} need the label ${LABEL}`,
          reason,
        },
      ],
    },
  });
  await client.create(POLICY_BINDINGS, {
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
    },
  });
  await place.until(async () => !(await isMet(place)), 'the admission policy is in force');
  return async () => {
    await remove();
    await place.until(() => isMet(place), 'the admission policy is no longer in force');
  };
}

export async function mayCreatePods({ client, namespace }: PolicyPlace): Promise<boolean> {
  const pod = {
    metadata: { name: 'dry-run', namespace },
    spec: { schedulerName: 'absent', containers: [{ name: 'c', image: 'registry.example/x:1' }] },
  };
  return isLetThrough(() => client.create(PODS, pod, { dryRun: true }));
}

export async function isLetThrough(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isKubeError(error, 'Forbidden', 'Invalid', 'RequestEntityTooLarge')) return false;
    throw error;
  }
}
