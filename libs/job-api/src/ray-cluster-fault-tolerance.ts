/**
 * `spec.gcsFaultToleranceOptions` of a RayCluster: where the head stores the state of the cluster, so that a recreated
 * head can restore it.
 */
import * as z from 'zod';
import type { PodTemplateSpec } from './kubernetes.ts';
import { HEAD_CONTAINERS, hasHeadEnv, headEnvCel } from './ray-container-env.ts';
import { acceptingExistingViolations, withRules, type Rule } from './rule.ts';
import { quantity } from './scalars.ts';

export const RAY_GCS_BACKENDS = ['redis', 'rocksdb'] as const;

export type RayGcsBackend = (typeof RAY_GCS_BACKENDS)[number];

const credentialSchema = z.object({
  value: z.string().describe('The value in plain text, visible to everyone who can read the cluster.').exactOptional(),
  valueFrom: z
    .looseObject({})
    .describe('Source of the value, as in the environment of a container, for example secretKeyRef.')
    .exactOptional(),
});

export type RayRedisCredential = z.output<typeof credentialSchema>;

const storageSchema = withRules(
  z.object({
    claimName: z
      .string()
      .describe('Existing PersistentVolumeClaim to mount. Muster does not change it. Default: Muster creates one.')
      .exactOptional(),
    size: quantity().describe('Size of the created claim. Default 1Gi.').exactOptional(),
    storageClassName: z
      .string()
      .describe('StorageClass of the created claim. Default: that of the Kubernetes cluster.')
      .exactOptional(),
    accessModes: z
      .array(z.string())
      .max(4)
      .describe('Access modes of the created claim. Default ReadWriteOnce.')
      .exactOptional(),
    subPath: z.string().describe('Folder of the volume to mount. Default: its root.').exactOptional(),
    deletionPolicy: z
      .enum(['DeleteWithCluster', 'Retain'])
      .describe(
        'DeleteWithCluster: the created claim is deleted with the cluster. Retain: it is kept, and a later ' +
          'cluster of the same name uses it. Default DeleteWithCluster.',
      )
      .exactOptional(),
  }),
  [
    {
      cel:
        "self.?claimName.orValue('') == '' || !(has(self.size) || has(self.storageClassName) || " +
        '(has(self.accessModes) && self.accessModes.size() > 0))',
      holds: ({ claimName = '', size, storageClassName, accessModes = [] }) =>
        claimName === '' || (size === undefined && storageClassName === undefined && accessModes.length === 0),
      message: 'remove it, or size, storageClassName and accessModes: they are for a claim that Muster creates',
      reason: 'FieldValueForbidden',
      at: ['claimName'],
    },
  ],
);

export type RayGcsStorage = z.output<typeof storageSchema>;

const fieldsSchema = z.object({
  backend: z
    .enum(RAY_GCS_BACKENDS)
    .describe(
      'Where the state is stored. redis: in an existing Redis. rocksdb: on a volume of the head. Default ' +
        'redis. Cannot be changed.',
    )
    .exactOptional(),
  redisAddress: z.string().describe('redis only: address of Redis, host:port or redis://host:port.').exactOptional(),
  redisUsername: credentialSchema.describe('redis only: user name.').exactOptional(),
  redisPassword: credentialSchema.describe('redis only: password of the user.').exactOptional(),
  externalStorageNamespace: z
    .string()
    .describe("redis only: namespace of the cluster's data in Redis. Default: the UID of the cluster.")
    .exactOptional(),
  storage: storageSchema.describe('rocksdb only: the volume.').exactOptional(),
});

type Fields = z.output<typeof fieldsSchema>;

const isRocksDb = ({ backend }: Fields) => backend === 'rocksdb';
const IS_ROCKSDB = "self.?backend.orValue('') == 'rocksdb'";
const backendCel = (options: string) => `(${options}.?backend.orValue('') == 'rocksdb')`;

/** An empty string counts as absent. */
function redisOnly(
  field: 'redisAddress' | 'redisUsername' | 'redisPassword' | 'externalStorageNamespace',
): Rule<Fields> {
  const isText = field === 'redisAddress' || field === 'externalStorageNamespace';
  return {
    cel: `!(${IS_ROCKSDB}) || ${isText ? `self.?${field}.orValue('') == ''` : `!has(self.${field})`}`,
    holds: (self) => !isRocksDb(self) || self[field] === undefined || self[field] === '',
    message: 'remove it: with backend rocksdb there is no Redis',
    reason: 'FieldValueForbidden',
    at: [field],
  };
}

const FIELD_RULES: readonly Rule<Fields>[] = [
  redisOnly('redisAddress'),
  redisOnly('redisUsername'),
  redisOnly('redisPassword'),
  redisOnly('externalStorageNamespace'),
  {
    cel: `${IS_ROCKSDB} || self.?redisAddress.orValue('') != ''`,
    holds: (self) => isRocksDb(self) || (self.redisAddress ?? '') !== '',
    message: 'set the address of Redis, or set backend to rocksdb',
    reason: 'FieldValueRequired',
    at: ['redisAddress'],
  },
  {
    cel: `${IS_ROCKSDB} || !has(self.storage)`,
    holds: (self) => isRocksDb(self) || self.storage === undefined,
    message: 'remove it, or set backend to rocksdb: backend redis has no volume',
    reason: 'FieldValueForbidden',
    at: ['storage'],
  },
];

export const gcsFaultToleranceOptionsSchema = withRules(fieldsSchema, [
  ...acceptingExistingViolations(FIELD_RULES),
  {
    cel: `${backendCel('self')} == ${backendCel('oldSelf')}`,
    message: 'field is immutable: to change the backend, delete the cluster and create it again',
    at: ['backend'],
  },
]);

export type RayGcsFaultToleranceOptions = z.output<typeof gcsFaultToleranceOptionsSchema>;

interface SpecWithFaultTolerance {
  readonly gcsFaultToleranceOptions?: RayGcsFaultToleranceOptions;
  readonly headGroupSpec: {
    readonly template: PodTemplateSpec;
    readonly rayStartParams?: Readonly<Record<string, string>>;
  };
}

const HEAD_PARAMS = ['headGroupSpec', 'rayStartParams'];

const paramCel = (name: string) => `self.?headGroupSpec.?rayStartParams[?'${name}'].orValue('') == ''`;
const param = ({ headGroupSpec }: SpecWithFaultTolerance, name: string) => headGroupSpec.rayStartParams?.[name] ?? '';

const STORAGE_VARIABLES = ['RAY_gcs_storage', 'RAY_gcs_storage_path'];

/** Rules of the whole spec. */
export const FAULT_TOLERANCE_RULES: readonly Rule<SpecWithFaultTolerance>[] = [
  {
    cel: `!has(self.gcsFaultToleranceOptions) || ${paramCel('redis-password')}`,
    holds: (self) => self.gcsFaultToleranceOptions === undefined || param(self, 'redis-password') === '',
    message: 'remove redis-password: use redisPassword in gcsFaultToleranceOptions',
    reason: 'FieldValueForbidden',
    at: HEAD_PARAMS,
  },
  {
    cel: paramCel('redis-username'),
    holds: (self) => param(self, 'redis-username') === '',
    message: 'remove redis-username: use redisUsername in gcsFaultToleranceOptions',
    reason: 'FieldValueForbidden',
    at: HEAD_PARAMS,
  },
  {
    cel:
      '!has(self.gcsFaultToleranceOptions) || ' + `!${headEnvCel("e.name in ['RAY_REDIS_ADDRESS', 'REDIS_PASSWORD']")}`,
    holds: (self) =>
      self.gcsFaultToleranceOptions === undefined || !hasHeadEnv(self, ['RAY_REDIS_ADDRESS', 'REDIS_PASSWORD']),
    message:
      'remove RAY_REDIS_ADDRESS and REDIS_PASSWORD from the first container: use redisAddress and ' +
      'redisPassword in gcsFaultToleranceOptions',
    reason: 'FieldValueForbidden',
    at: HEAD_CONTAINERS,
  },
  {
    cel: `!${headEnvCel("e.name == 'REDIS_USERNAME'")}`,
    holds: (self) => !hasHeadEnv(self, ['REDIS_USERNAME']),
    message: 'remove REDIS_USERNAME from the first container: use redisUsername in gcsFaultToleranceOptions',
    reason: 'FieldValueForbidden',
    at: HEAD_CONTAINERS,
  },
  {
    cel:
      "self.?gcsFaultToleranceOptions.?backend.orValue('') != 'rocksdb' || " +
      `!${headEnvCel(`e.name in [${STORAGE_VARIABLES.map((name) => `'${name}'`).join(', ')}]`)}`,
    holds: (self) => self.gcsFaultToleranceOptions?.backend !== 'rocksdb' || !hasHeadEnv(self, STORAGE_VARIABLES),
    message: `remove ${STORAGE_VARIABLES.join(' and ')} from the first container: with backend rocksdb Muster sets them`,
    reason: 'FieldValueForbidden',
    at: HEAD_CONTAINERS,
  },
];
