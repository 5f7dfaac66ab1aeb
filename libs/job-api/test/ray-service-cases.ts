/** RayServices that admission refuses or accepts. */
import { rayServiceDefinition } from '../src/ray-service.ts';
import type { AcceptedManifest, AdmissionTable, Manifest, RefusedManifest } from './admission-table.ts';
import { clusterSpec, group, head } from './ray-manifests.ts';

const SERVE_CONFIG = `applications:
  - name: fruit
    import_path: fruit.app
    route_prefix: /fruit
`;

/** The smallest valid service, and `rest`; without the fields that are undefined in `rest`. */
export const serviceSpec = (rest: object = {}): object =>
  Object.fromEntries(
    Object.entries({ serveConfigV2: SERVE_CONFIG, rayClusterConfig: clusterSpec(), ...rest }).filter(
      ([, value]) => value !== undefined,
    ),
  );

const rayService = (rest: object = {}, name = 'fruit', metadata: object = {}): Manifest => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayService',
  metadata: { name, ...metadata },
  spec: serviceSpec(rest),
});

const STEPS = { stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: 'istio' };

/** A service with an incremental upgrade and these options. */
const incremental = (
  clusterUpgradeOptions?: object,
  cluster: object = { enableInTreeAutoscaling: true, workerGroupSpecs: [group('small')] },
) =>
  rayService({
    rayClusterConfig: clusterSpec(cluster),
    upgradeStrategy: {
      type: 'NewClusterWithIncrementalUpgrade',
      ...(clusterUpgradeOptions && { clusterUpgradeOptions }),
    },
  });

const OPTIONS = 'spec.upgradeStrategy.clusterUpgradeOptions';

const refused: RefusedManifest[] = [
  {
    what: 'no cluster',
    manifest: rayService({ rayClusterConfig: undefined }),
    path: 'spec.rayClusterConfig',
    message: 'Required value',
  },
  {
    what: 'a cluster that is invalid as a RayCluster',
    manifest: rayService({
      rayClusterConfig: clusterSpec({ workerGroupSpecs: [group('small', { minReplicas: 2, maxReplicas: 1 })] }),
    }),
    path: 'spec.rayClusterConfig.workerGroupSpecs[0].minReplicas',
    message: 'must not be greater than maxReplicas',
  },
  {
    what: 'ports of the serve Service that are no list',
    manifest: rayService({ serveService: { spec: { ports: 80 } } }),
    path: 'spec.serveService.spec.ports',
    message: 'must be of type array',
  },
  {
    what: 'a name of the head Service',
    manifest: rayService({
      rayClusterConfig: clusterSpec({ headGroupSpec: head({ headService: { metadata: { name: 'mine' } } }) }),
    }),
    path: 'spec.rayClusterConfig.headGroupSpec.headService.metadata.name',
    message: 'Forbidden: remove it: an upgrade creates a second cluster',
  },
  {
    what: 'tokens of ServiceAccounts',
    manifest: rayService({
      rayClusterConfig: clusterSpec({ rayVersion: '2.55.0', authOptions: { enableK8sTokenAuth: true } }),
    }),
    path: 'spec.rayClusterConfig.authOptions.enableK8sTokenAuth',
    message: 'Forbidden: remove it: the operator has to call Ray Serve',
  },
  {
    what: 'an upgrade strategy of the cluster',
    manifest: rayService({ rayClusterConfig: clusterSpec({ upgradeStrategy: { type: 'Recreate' } }) }),
    path: 'spec.rayClusterConfig.upgradeStrategy.type',
    message: 'Forbidden: remove it: spec.upgradeStrategy decides',
  },
  {
    what: 'an unknown upgrade strategy',
    manifest: rayService({ upgradeStrategy: { type: 'BlueGreen' } }),
    path: 'spec.upgradeStrategy.type',
    message:
      'Unsupported value: "BlueGreen": supported values: "NewCluster", "None", "NewClusterWithIncrementalUpgrade"',
  },
  {
    what: 'an incremental upgrade without options',
    manifest: incremental(),
    path: OPTIONS,
    message: 'Required value: set stepSizePercent, intervalSeconds and gatewayClassName',
  },
  {
    what: 'an incremental upgrade without a step',
    manifest: incremental({ intervalSeconds: 30, gatewayClassName: 'istio' }),
    path: `${OPTIONS}.stepSizePercent`,
    message: 'Required value: set the part of the requests',
  },
  {
    what: 'a step of 0 %, which would never end',
    manifest: incremental({ ...STEPS, stepSizePercent: 0 }),
    path: `${OPTIONS}.stepSizePercent`,
    message: 'Invalid value: 0',
  },
  {
    what: 'a step greater than the surge',
    manifest: incremental({ ...STEPS, maxSurgePercent: 5 }),
    path: `${OPTIONS}.stepSizePercent`,
    message: 'must not be greater than maxSurgePercent',
  },
  {
    what: 'a surge over 100 %',
    manifest: incremental({ ...STEPS, maxSurgePercent: 101 }),
    path: `${OPTIONS}.maxSurgePercent`,
    message: 'Invalid value: 101',
  },
  {
    what: 'an interval of 0 seconds',
    manifest: incremental({ ...STEPS, intervalSeconds: 0 }),
    path: `${OPTIONS}.intervalSeconds`,
    message: 'Invalid value: 0',
  },
  {
    what: 'an empty class of the Gateway',
    manifest: incremental({ ...STEPS, gatewayClassName: '' }),
    path: `${OPTIONS}.gatewayClassName`,
    message: 'Required value: name a GatewayClass',
  },
  {
    what: 'an incremental upgrade without autoscaler',
    manifest: incremental(STEPS, {}),
    path: 'spec.rayClusterConfig.enableInTreeAutoscaling',
    message: 'Required value: set it to true',
  },
  {
    what: 'a negative deletion delay',
    manifest: rayService({ rayClusterDeletionDelaySeconds: -1 }),
    path: 'spec.rayClusterDeletionDelaySeconds',
    message: 'Invalid value: -1',
  },
  {
    what: 'an unknown manager',
    manifest: rayService({ managedBy: 'example.com/other' }),
    path: 'spec.managedBy',
    message: 'Unsupported value: "example.com/other"',
  },
  {
    what: 'a name over 47 characters',
    manifest: rayService({}, 'a'.repeat(48)),
    path: 'metadata.name',
    message: 'metadata.name is too long: shorten it to 47 characters',
  },
  {
    what: 'a name that starts with a digit',
    manifest: rayService({}, '1st'),
    path: 'metadata.name',
    message: 'metadata.name must be a DNS label',
  },
];

const accepted: AcceptedManifest[] = [
  { what: 'an incremental upgrade', manifest: incremental({ ...STEPS, maxSurgePercent: 10 }) },
  { what: 'no applications, which only the operator refuses', manifest: rayService({ serveConfigV2: undefined }) },
  {
    what: 'all other fields',
    manifest: rayService({
      upgradeStrategy: { type: 'None' },
      serveService: {
        metadata: { name: 'mine', labels: { team: 'a' }, annotations: { note: 'b' } },
        spec: { type: 'NodePort', ports: [{ name: 'serve', port: 80, targetPort: 8000, nodePort: 30_080 }] },
      },
      excludeHeadPodFromServeSvc: true,
      rayClusterDeletionDelaySeconds: 0,
      suspend: true,
      managedBy: 'ray.io/kuberay-operator',
      serviceUnhealthySecondThreshold: 900,
      deploymentUnhealthySecondThreshold: 300,
    }),
  },
  { what: 'a name of 47 characters', manifest: rayService({}, 'a'.repeat(47)) },
];

/** `manifest` with fields in the head's template that no schema describes. */
function withUndescribedFields(manifest: Manifest): Manifest {
  const { spec } = manifest as {
    spec?: { rayClusterConfig?: { headGroupSpec?: { template?: { spec?: object } } } };
  };
  const pod = spec?.rayClusterConfig?.headGroupSpec?.template?.spec;
  if (pod === undefined) return manifest;
  const whole = { ...pod, affinity: { nodeAffinity: {} }, securityContext: { fsGroup: 1000 } };
  const headGroupSpec = { ...spec?.rayClusterConfig?.headGroupSpec, template: { spec: whole } };
  return { ...manifest, spec: { ...spec, rayClusterConfig: { ...spec?.rayClusterConfig, headGroupSpec } } };
}

export const RAY_SERVICE_ADMISSION: AdmissionTable = {
  definition: rayServiceDefinition,
  manager: 'ray.io/kuberay-operator',
  withUndescribedFields,
  leastSpec: serviceSpec(),
  refused,
  accepted,
};
