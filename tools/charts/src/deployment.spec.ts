/** The operator's Deployment and pods, by values. */
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { PodSpec } from 'kubernetes-types/core/v1.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { helm, HELM_TIMEOUT_MS, IMAGE, rendered, type RenderOptions, type Values } from '../test-support/helm.ts';
import { ofKind } from '../test-support/of-kind.ts';

async function deployment(values: Values, options: RenderOptions = {}, chart = 'mxnet') {
  const found = ofKind<Deployment & { kind: string }>(await rendered(chart, values, options), 'Deployment');
  if (found.spec?.template.spec === undefined) throw new Error('a Deployment without pods');
  return { ...found, spec: found.spec, pod: found.spec.template.spec };
}

async function container(values: Values) {
  return (await deployment(values)).pod.containers[0];
}

beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

describe("the operator's pods", () => {
  it('conform to the Pod Security Standard restricted', async () => {
    const { pod } = await deployment({});
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    });
  });

  it('are probed on the metrics port', async () => {
    const { ports, startupProbe, livenessProbe, readinessProbe } = (await container({ metrics: { port: 9000 } })) ?? {};
    expect(ports).toEqual([{ name: 'http', containerPort: 9000 }]);
    expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual([
      { path: '/healthz', port: 'http' },
      { path: '/healthz', port: 'http' },
      { path: '/readyz', port: 'http' },
    ]);
  });

  it('have a longer grace period than the shutdown timeout of the operator', async () => {
    const { pod } = await deployment({ operator: { shutdownTimeoutSeconds: 100 } });
    expect(pod.terminationGracePeriodSeconds).toBe(110);
  });

  it('ignore environment variables of a Service named muster', async () => {
    expect((await deployment({})).pod.enableServiceLinks).toBe(false);
  });

  it.each<[values: object, image: string]>([
    [{}, 'registry.example/operator:0.1.0'],
    [{ tag: '2' }, 'registry.example/operator:2'],
    [{ tag: '2', digest: `sha256:${'0'.repeat(64)}` }, `registry.example/operator@sha256:${'0'.repeat(64)}`],
    [{ registry: 'other.example:5000', repository: 'team/op' }, 'other.example:5000/team/op:0.1.0'],
  ])('have with %j the image %s', async (image, expected) => {
    expect((await container({ image: { ...IMAGE, ...image } }))?.image).toBe(expected);
  });

  it('use the registry of an umbrella chart', async () => {
    const values = { global: { imageRegistry: 'all.example' }, image: { registry: 'own.example', repository: 'op' } };
    expect((await container(values))?.image).toBe('all.example/op:0.1.0');
  });

  it('are replaced by a rolling update with leader election, otherwise by Recreate', async () => {
    const quarter = { maxSurge: '25%', maxUnavailable: '25%' };
    expect((await deployment({})).spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: quarter });
    expect((await deployment({ leaderElection: { enabled: false } })).spec.strategy).toEqual({ type: 'Recreate' });
    const rollingUpdate = { maxSurge: 0, maxUnavailable: 1 };
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate };
    expect((await deployment({ updateStrategy })).spec.strategy).toEqual(updateStrategy);
    const recreate = await deployment({ updateStrategy: { ...updateStrategy, type: 'Recreate' } });
    expect(recreate.spec.strategy).toEqual({ type: 'Recreate' });
  });

  it('are spread by their own labels unless a constraint has a labelSelector', async () => {
    const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
    const others = { matchLabels: { app: 'other' } };
    const topologySpreadConstraints = [constraint, { ...constraint, labelSelector: others }];
    const { pod, spec } = await deployment({ topologySpreadConstraints });
    expect(pod.topologySpreadConstraints).toEqual([
      { ...constraint, labelSelector: spec.selector },
      { ...constraint, labelSelector: others },
    ]);
  });

  it('are selected by labels that no value changes', async () => {
    const values = { nameOverride: 'other', commonLabels: { team: 'ml' }, podLabels: { tier: 'x' } };
    const { spec } = await deployment(values, { release: 'one' });
    expect(spec.selector.matchLabels).toEqual({
      'app.kubernetes.io/name': 'muster-mxnet',
      'app.kubernetes.io/instance': 'one',
    });
    expect(spec.template.metadata?.labels).toMatchObject({ ...spec.selector.matchLabels, team: 'ml', tier: 'x' });
  });

  it('have all other settings of the values', async () => {
    const spec: Partial<PodSpec> = {
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      priorityClassName: 'system-cluster-critical',
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['10.0.0.1'] },
      hostNetwork: true,
    };
    const volume = { name: 'ca', configMap: { name: 'ca' } };
    const mount = { name: 'ca', mountPath: '/ca' };
    const { pod, spec: own } = await deployment({
      ...spec,
      replicaCount: 3,
      image: { ...IMAGE, pullPolicy: 'Always', pullSecrets: [{ name: 'key' }] },
      extraEnv: [{ name: 'A', value: 'b' }],
      extraEnvFrom: [{ secretRef: { name: 's' } }],
      extraVolumes: [volume],
      extraVolumeMounts: [mount],
      extraInitContainers: [{ name: 'first', image: 'i' }],
      podAnnotations: { note: 'x' },
    });
    expect(pod).toMatchObject({
      ...spec,
      imagePullSecrets: [{ name: 'key' }],
      volumes: [volume],
      initContainers: [{ name: 'first', image: 'i' }],
    });
    expect(pod.containers[0]).toMatchObject({
      imagePullPolicy: 'Always',
      env: [{ name: 'A', value: 'b' }],
      envFrom: [{ secretRef: { name: 's' } }],
      volumeMounts: [mount],
    });
    expect(own.replicas).toBe(3);
    expect(own.template.metadata?.annotations).toMatchObject({ note: 'x' });
  });

  it('have a volume for recorded reconcile runs, which is larger than the limit of the files', async () => {
    const volume = { name: 'ca', configMap: { name: 'ca' } };
    const mount = { name: 'ca', mountPath: '/ca' };
    const { pod } = await deployment({
      recording: { enabled: true, sizeMiB: 64 },
      extraVolumes: [volume],
      extraVolumeMounts: [mount],
    });
    expect(pod.volumes).toEqual([{ name: 'runs', emptyDir: { sizeLimit: '80Mi' } }, volume]);
    expect(pod.containers[0]?.volumeMounts).toEqual([{ name: 'runs', mountPath: '/runs' }, mount]);
    expect(pod.containers[0]?.args).toEqual(
      expect.arrayContaining(['--record=/runs', '--record-size=64', '--record-environment=false']),
    );
  });

  it('record into a folder of the release on an existing claim', async () => {
    const recording = { enabled: true, existingClaim: 'runs', environmentValues: true };
    const { pod } = await deployment({ recording }, { release: 'team' });
    expect(pod.volumes).toEqual([{ name: 'runs', persistentVolumeClaim: { claimName: 'runs' } }]);
    expect(pod.containers[0]?.volumeMounts).toEqual([{ name: 'runs', mountPath: '/runs', subPath: 'team-mxnet' }]);
    expect(pod.containers[0]?.args).toContain('--record-environment=true');
    // So that the operator's user may write to the claim.
    expect(pod.securityContext).toMatchObject({ fsGroup: 65532 });
  });

  it('record no reconcile runs by default', async () => {
    const { pod } = await deployment({});
    expect(pod.volumes).toBeUndefined();
    expect(pod.containers[0]?.args?.filter((each) => each.startsWith('--record'))).toEqual([]);
  });
});

describe('the name of a release', () => {
  it.each<[release: string, values: Values, name: string]>([
    ['prod', {}, 'prod-mxnet'],
    ['mxnet', {}, 'mxnet'],
    ['team-mxnet-2', {}, 'team-mxnet-2'],
    ['prod', { nameOverride: 'mx' }, 'prod-mx'],
    ['prod', { fullnameOverride: 'operator' }, 'operator'],
    ['r'.repeat(53), { nameOverride: 'abcdefgh-and-more' }, `${'r'.repeat(53)}-abcdefgh`],
  ])('%s with %j names its objects %s', async (release, values, name) => {
    expect((await deployment(values, { release })).metadata?.name).toBe(name);
  });
});
