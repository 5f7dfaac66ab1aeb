/** The rendered policies. `job-policy.integration.spec.ts` checks what they reject. */
import { FRAMEWORKS, type FrameworkName, type KubeObject } from '@muster/job-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { helm, HELM_TIMEOUT_MS, rendered, type RenderOptions, type Values } from '../../test-support/helm.ts';
import { namesOfKind, ofKind } from '../../test-support/of-kind.ts';

const POLICY = 'ValidatingAdmissionPolicy';
const BINDING = 'ValidatingAdmissionPolicyBinding';

type WithSpec = KubeObject & { spec: Record<string, unknown> };

beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

function enforced(values: Values = {}, options: RenderOptions = {}): Promise<KubeObject[]> {
  return rendered('mxnet', { ...values, tenancy: { enforceCreatorRights: true } }, options);
}

describe('the policy for jobs', () => {
  it('is rendered only if it is enabled', async () => {
    const objects = await rendered('mxnet', {});
    expect([...namesOfKind(objects, POLICY), ...namesOfKind(objects, BINDING)]).toEqual([]);
  });

  it.each(Object.keys(FRAMEWORKS) as FrameworkName[])('applies to all kinds of %s', async (framework) => {
    const objects = await rendered(framework, { tenancy: { enforceCreatorRights: true } });
    const { matchConstraints } = ofKind<WithSpec>(objects, POLICY).spec;
    const kinds = FRAMEWORKS[framework].map(({ resource }) => resource.plural);
    expect(matchConstraints).toMatchObject({ resourceRules: [{ resources: kinds, operations: ['CREATE', 'UPDATE'] }] });
  });

  it('has a different name for each release, and exempts its ServiceAccount', async () => {
    const objects = await enforced({ serviceAccount: { name: 'runner' } }, { release: 'one', namespace: 'ops' });
    const policy = ofKind<WithSpec>(objects, POLICY);
    expect(policy.metadata).toMatchObject({ name: 'ops.one-mxnet.creator-rights' });
    expect(policy.spec['matchConditions']).toMatchObject([
      { expression: '!(request.userInfo.username in ["system:serviceaccount:ops:runner"])' },
      {},
    ]);
    expect(ofKind<WithSpec>(objects, BINDING).spec).toEqual({
      policyName: 'ops.one-mxnet.creator-rights',
      validationActions: ['Deny'],
    });
  });

  it('applies in the watched namespaces', async () => {
    const objects = await enforced({ watch: { scope: 'namespaces', namespaces: ['a', 'b'] } });
    expect(ofKind<WithSpec>(objects, BINDING).spec['matchResources']).toEqual({
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] }],
      },
    });
  });
});
