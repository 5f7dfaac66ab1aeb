/**
 * `spec.gcsFaultToleranceOptions` of a RayCluster: where the head keeps what it knows of the cluster, so that a head that is
 * recreated goes on with it.
 */
import * as z from 'zod';
import type { PodTemplateSpec } from './kubernetes.ts';
import { HEAD_CONTAINERS, hasHeadEnv, headEnvCel } from './ray-container-env.ts';
import { unlessBrokenBefore, withRules, type Rule } from './rule.ts';
import { quantity } from './scalars.ts';

export const RAY_GCS_BACKENDS = ['redis', 'rocksdb'] as const;

export type RayGcsBackend = (typeof RAY_GCS_BACKENDS)[number];

const credentialSchema = z.object({
  value: z.string().describe('The value itself, for all to read who may read the cluster.').exactOptional(),
  valueFrom: z
    .looseObject({})
    .describe('Where the value stands, as in the environment of a container: secretKeyRef, for example.')
    .exactOptional(),
});

export type RayRedisCredential = z.output<typeof credentialSchema>;

const storageSchema = withRules(
  z.object({
    claimName: z
      .string()
      .describe(
        'A PersistentVolumeClaim of yours, which Muster mounts and otherwise leaves alone. Default: one is made.',
      )
      .exactOptional(),
    size: quantity().describe('The size of the claim that is made. Default 1Gi.').exactOptional(),
    storageClassName: z
      .string()
      .describe("The StorageClass of the claim that is made. Default: the cluster's.")
      .exactOptional(),
    accessModes: z
      .array(z.string())
      .max(4)
      .describe('The access modes of the claim that is made. Default ReadWriteOnce.')
      .exactOptional(),
    subPath: z.string().describe('The folder of the volume that is mounted. Default: its root.').exactOptional(),
    deletionPolicy: z
      .enum(['DeleteWithCluster', 'Retain'])
      .describe(
        'What becomes of the claim that is made. DeleteWithCluster, the default: it goes with the cluster. Retain: it stays, ' +
          'and a later cluster of the same name goes on with it.',
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
      message: 'remove it, or size, storageClassName and accessModes: those are for a claim that is made',
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
      'Where it is kept: in a Redis of yours, or by RocksDB on a volume of the head. Default redis. Cannot be changed.',
    )
    .exactOptional(),
  redisAddress: z.string().describe('redis only: its address, host:port or redis://host:port.').exactOptional(),
  redisUsername: credentialSchema.describe('redis only: the user.').exactOptional(),
  redisPassword: credentialSchema.describe("redis only: the user's password.").exactOptional(),
  externalStorageNamespace: z
    .string()
    .describe("redis only: under which name the cluster keeps its data there. Default: the cluster's UID.")
    .exactOptional(),
  storage: storageSchema.describe('rocksdb only: the volume.').exactOptional(),
});

type Fields = z.output<typeof fieldsSchema>;

const isRocksDb = ({ backend }: Fields) => backend === 'rocksdb';
const IS_ROCKSDB = "self.?backend.orValue('') == 'rocksdb'";
const backendCel = (options: string) => `(${options}.?backend.orValue('') == 'rocksdb')`;

/** An empty text counts as absent. */
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
    message: 'name the Redis, or set backend to rocksdb',
    reason: 'FieldValueRequired',
    at: ['redisAddress'],
  },
  {
    cel: `${IS_ROCKSDB} || !has(self.storage)`,
    holds: (self) => isRocksDb(self) || self.storage === undefined,
    message: 'remove it, or set backend to rocksdb: with a Redis there is no volume',
    reason: 'FieldValueForbidden',
    at: ['storage'],
  },
];

export const gcsFaultToleranceOptionsSchema = withRules(fieldsSchema, [
  ...unlessBrokenBefore(FIELD_RULES),
  {
    cel: `${backendCel('self')} == ${backendCel('oldSelf')}`,
    message: 'field is immutable: delete the cluster and create it anew to keep its state elsewhere',
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

/** Of the whole spec. */
export const FAULT_TOLERANCE_RULES: readonly Rule<SpecWithFaultTolerance>[] = [
  {
    cel: `!has(self.gcsFaultToleranceOptions) || ${paramCel('redis-password')}`,
    holds: (self) => self.gcsFaultToleranceOptions === undefined || param(self, 'redis-password') === '',
    message: 'remove redis-password: with gcsFaultToleranceOptions it is given as redisPassword there',
    reason: 'FieldValueForbidden',
    at: HEAD_PARAMS,
  },
  {
    cel: paramCel('redis-username'),
    holds: (self) => param(self, 'redis-username') === '',
    message: 'remove redis-username: it is given as redisUsername in gcsFaultToleranceOptions',
    reason: 'FieldValueForbidden',
    at: HEAD_PARAMS,
  },
  {
    cel:
      '!has(self.gcsFaultToleranceOptions) || ' + `!${headEnvCel("e.name in ['RAY_REDIS_ADDRESS', 'REDIS_PASSWORD']")}`,
    holds: (self) =>
      self.gcsFaultToleranceOptions === undefined || !hasHeadEnv(self, ['RAY_REDIS_ADDRESS', 'REDIS_PASSWORD']),
    message:
      'remove RAY_REDIS_ADDRESS and REDIS_PASSWORD from the first container: with gcsFaultToleranceOptions they are given as ' +
      'redisAddress and redisPassword there',
    reason: 'FieldValueForbidden',
    at: HEAD_CONTAINERS,
  },
  {
    cel: `!${headEnvCel("e.name == 'REDIS_USERNAME'")}`,
    holds: (self) => !hasHeadEnv(self, ['REDIS_USERNAME']),
    message: 'remove REDIS_USERNAME from the first container: it is given as redisUsername in gcsFaultToleranceOptions',
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
