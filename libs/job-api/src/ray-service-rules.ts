/** Rules of `spec` of a RayService. */
import type { RayClusterSpec } from './ray-cluster-spec.ts';
import type { Rule } from './rule.ts';

interface Strategy {
  readonly type?: string;
  readonly clusterUpgradeOptions?: {
    readonly maxSurgePercent?: number;
    readonly stepSizePercent?: number;
    readonly intervalSeconds?: number;
    readonly gatewayClassName?: string;
  };
}

const INCREMENTAL = 'NewClusterWithIncrementalUpgrade';
const isIncremental = ({ type }: Strategy) => type === INCREMENTAL;
const IS_INCREMENTAL = `(self.?type.orValue('') == '${INCREMENTAL}')`;
const OPTIONS = 'clusterUpgradeOptions';

function required(
  option: keyof NonNullable<Strategy['clusterUpgradeOptions']>,
  cel: string,
  holds: (value: unknown) => boolean,
  message: string,
): Rule<Strategy> {
  return {
    cel: `!${IS_INCREMENTAL} || !has(self.${OPTIONS}) || (has(self.${OPTIONS}.${option}) && ${cel})`,
    holds: (self) =>
      !isIncremental(self) || self.clusterUpgradeOptions === undefined || holds(self.clusterUpgradeOptions[option]),
    message,
    reason: 'FieldValueRequired',
    at: [OPTIONS, option],
  };
}

export const UPGRADE_STRATEGY_RULES: readonly Rule<Strategy>[] = [
  {
    cel: `!${IS_INCREMENTAL} || has(self.${OPTIONS})`,
    holds: (self) => !isIncremental(self) || self.clusterUpgradeOptions !== undefined,
    message: `set stepSizePercent, intervalSeconds and gatewayClassName: type ${INCREMENTAL} needs them`,
    reason: 'FieldValueRequired',
    at: [OPTIONS],
  },
  required(
    'stepSizePercent',
    'true',
    (value) => value !== undefined,
    'set the part of the requests that moves in a step',
  ),
  required('intervalSeconds', 'true', (value) => value !== undefined, 'set the seconds between two steps'),
  required(
    'gatewayClassName',
    `self.${OPTIONS}.gatewayClassName != ''`,
    (value) => value !== undefined && value !== '',
    'name a GatewayClass of the cluster',
  ),
  {
    cel:
      `!has(self.${OPTIONS}) || !has(self.${OPTIONS}.stepSizePercent) || ` +
      `self.${OPTIONS}.stepSizePercent <= (has(self.${OPTIONS}.maxSurgePercent) ? self.${OPTIONS}.maxSurgePercent : 100)`,
    holds: ({ clusterUpgradeOptions: { stepSizePercent = 0, maxSurgePercent = 100 } = {} }) =>
      stepSizePercent <= maxSurgePercent,
    message: 'must not be greater than maxSurgePercent',
    at: [OPTIONS, 'stepSizePercent'],
  },
];

interface Spec {
  readonly rayClusterConfig: RayClusterSpec;
  readonly upgradeStrategy?: Strategy;
}

const CLUSTER = 'self.?rayClusterConfig';

export const RAY_SERVICE_RULES: readonly Rule<Spec>[] = [
  {
    cel: `${CLUSTER}.?headGroupSpec.?headService.?metadata.?name.orValue('') == ''`,
    holds: ({ rayClusterConfig }) => (rayClusterConfig.headGroupSpec.headService?.metadata?.name ?? '') === '',
    message: 'remove it: an upgrade creates a second cluster, whose head Service needs another name',
    reason: 'FieldValueForbidden',
    at: ['rayClusterConfig', 'headGroupSpec', 'headService', 'metadata', 'name'],
  },
  {
    cel: `!${CLUSTER}.?authOptions.?enableK8sTokenAuth.orValue(false)`,
    holds: ({ rayClusterConfig }) => rayClusterConfig.authOptions?.enableK8sTokenAuth !== true,
    message: 'remove it: the operator has to call Ray Serve with a token from a Secret',
    reason: 'FieldValueForbidden',
    at: ['rayClusterConfig', 'authOptions', 'enableK8sTokenAuth'],
  },
  {
    cel: `!has(self.rayClusterConfig) || !has(self.rayClusterConfig.upgradeStrategy) || !has(self.rayClusterConfig.upgradeStrategy.type)`,
    holds: ({ rayClusterConfig }) => rayClusterConfig.upgradeStrategy?.type === undefined,
    message: 'remove it: spec.upgradeStrategy decides how the service is upgraded',
    reason: 'FieldValueForbidden',
    at: ['rayClusterConfig', 'upgradeStrategy', 'type'],
  },
  {
    cel:
      `self.?upgradeStrategy.?type.orValue('') != '${INCREMENTAL}' || ` +
      `${CLUSTER}.?enableInTreeAutoscaling.orValue(false)`,
    holds: ({ rayClusterConfig, upgradeStrategy = {} }) =>
      !isIncremental(upgradeStrategy) || rayClusterConfig.enableInTreeAutoscaling === true,
    message: `set it to true: with upgradeStrategy ${INCREMENTAL} the autoscaler adds and removes workers`,
    reason: 'FieldValueRequired',
    at: ['rayClusterConfig', 'enableInTreeAutoscaling'],
  },
];
