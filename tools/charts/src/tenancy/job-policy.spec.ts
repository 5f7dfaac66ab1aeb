/** The policies as they are rendered; what they let through is tried on an API server. */
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

describe('the policy about jobs', () => {
  it('is there only when it is asked for', async () => {
    const objects = await rendered('mxnet', {});
    expect([...namesOfKind(objects, POLICY), ...namesOfKind(objects, BINDING)]).toEqual([]);
  });

  it.each(Object.keys(FRAMEWORKS) as FrameworkName[])('is about all kinds of %s', async (framework) => {
    const objects = await rendered(framework, { tenancy: { enforceCreatorRights: true } });
    const { matchConstraints } = ofKind<WithSpec>(objects, POLICY).spec;
    const kinds = FRAMEWORKS[framework].map(({ resource }) => resource.plural);
    expect(matchConstraints).toMatchObject({ resourceRules: [{ resources: kinds, operations: ['CREATE', 'UPDATE'] }] });
  });

  it('has a name of its own for each release, and exempts the account of that one', async () => {
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

  it('holds where the operator looks after jobs', async () => {
    const objects = await enforced({ watch: { scope: 'namespaces', namespaces: ['a', 'b'] } });
    expect(ofKind<WithSpec>(objects, BINDING).spec['matchResources']).toEqual({
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] }],
      },
    });
  });
});
