import {
  ENDPOINT_SLICES,
  INGRESSES,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  SERVICES,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB, plainPod } from '../../test-support/plain-pod.ts';
import { SETTINGS, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import type { OwnedKind, OwnedResource } from '../model/owned-resources.ts';
import { WORKLOAD_KINDS } from '../workloads/workloads.ts';
import { referencedKeys } from './object-references.ts';
import { batchesOf, inOrder } from './write-order.ts';
import { planJob } from './plan-job.ts';
import { writesOf } from '../model/write.ts';
import type { WriteFailure } from '../world/world.ts';

const object = (fields: object): KubeObject => ({ metadata: { name: 'x' }, ...fields });
const binding = object({
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'access' },
  subjects: [{ kind: 'ServiceAccount', name: 'account', namespace: JOB.namespace }],
});
const ingress = object({ spec: { rules: [{ http: { paths: [{ backend: { service: { name: 'head' } } }] } }] } });
const slice: KubeObject = { metadata: { name: 'x', labels: { 'kubernetes.io/service-name': 'head' } } };
const template = {
  spec: {
    serviceAccountName: 'account',
    subdomain: 'net',
    containers: [
      {
        name: 'main',
        envFrom: [{ secretRef: { name: 'all' } }],
        env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'one', key: 'a' } } }],
      },
    ],
    volumes: [
      { name: 'a', configMap: { name: 'config' } },
      { name: 'b', secret: { secretName: 'keys' } },
      { name: 'c', projected: { sources: [{ secret: { name: 'more-keys' } }] } },
      { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
    ],
  },
};
const OF_TEMPLATE = [
  'ConfigMap/config',
  'ConfigMap/one',
  'PersistentVolumeClaim/data',
  'Secret/all',
  'Secret/keys',
  'Secret/more-keys',
  'ServiceAccount/account',
  'Service/net',
];

describe('a reference to another object', () => {
  it.each<[kind: string, object: KubeObject, keys: string[]]>([
    ['RoleBinding', binding, ['Role/access', 'ServiceAccount/account']],
    ['Ingress', ingress, ['Service/head']],
    ['EndpointSlice', slice, ['Service/head']],
    ['Pod', object(template), OF_TEMPLATE],
    ['Job', object({ spec: { template } }), OF_TEMPLATE],
    ['Role', object({ rules: [] }), []],
  ])('is read from a %s', (kind, given, keys) => {
    expect(referencedKeys(kind, given).toSorted()).toEqual(keys.toSorted());
  });

  it('makes the run create the other object in an earlier phase', () => {
    const created = (resource: Resource, isOwnedResource = true) =>
      ({ op: 'create', resource, object: object({}), isOwnedResource }) as const;
    const kinds = [PODS, WORKLOAD_KINDS.Job.resource, ROLE_BINDINGS, INGRESSES, ENDPOINT_SLICES];
    const referring = kinds.map((each) => created(each, each !== PODS));
    const patch = { op: 'patch', resource: ROLES, object: object({}), isOwnedResource: true, patch: {} } as const;
    const writes = inOrder([...referring, created(SERVICES, false), patch, created(SERVICES), created(ROLES)]);
    const phases = batchesOf(writes).map((batch) =>
      batch.map((each) => ('resource' in each ? `${each.op} ${each.resource.kind}` : each.op)),
    );
    expect(phases).toEqual([
      ['create Service', 'create Role'],
      ['patch Role'],
      ['create Service'],
      ['create RoleBinding', 'create Ingress', 'create EndpointSlice'],
      ['create Job'],
      ['create Pod'],
    ]);
  });
});

const kind = (resource: Resource): OwnedKind => ({ resource, endsWithRun: false, trim: (whole) => whole });
const owners = plainPod().metadata?.ownerReferences ?? [];
const ROLE = { metadata: { name: 'access', namespace: JOB.namespace } };
const ACCOUNT = { metadata: { name: 'account', namespace: JOB.namespace } };
const BINDING = { ...binding, metadata: { name: 'access', namespace: JOB.namespace } };
const as = (of: KubeObject, metadata: object = {}): KubeObject => ({
  ...of,
  metadata: { ...of.metadata, ...metadata },
});
const own = (of: KubeObject, metadata: object = {}) => as(of, { ownerReferences: owners, ...metadata });
const going = { deletionTimestamp: '2030-01-01T12:00:00Z' };
const role = (it: KubeObject): OwnedResource => ({ kind: kind(ROLES), object: it });
const bound = (it: KubeObject): OwnedResource => ({ kind: kind(ROLE_BINDINGS), object: it });

interface Grants extends PlainWorld {
  readonly ownAccount?: boolean;
}

function written({ ownAccount = false, ...plain }: Grants, ownedResources: readonly OwnedResource[]) {
  const desired = [
    ...(ownAccount ? [{ resource: SERVICE_ACCOUNTS, object: ACCOUNT, change: () => undefined }] : []),
    { resource: ROLES, object: ROLE, change: () => undefined },
    { resource: ROLE_BINDINGS, object: BINDING, change: () => ({ patch: { subjects: [] } }) },
  ];
  const adapter = {
    ...plainAdapter(plain),
    ownedResources: { kinds: [kind(ROLES), kind(ROLE_BINDINGS)], desired: () => desired },
  };
  const { writes } = planJob(adapter, { ...worldOf(plain), ownedResources }, SETTINGS);
  return writes.flatMap((each) =>
    'resource' in each && ['Role', 'RoleBinding'].includes(each.resource.kind)
      ? `${each.op} ${each.resource.kind}`
      : [],
  );
}

const TAKEN: WriteFailure = {
  ...{ verb: 'Create', kind: 'Role', names: new Set(['access']), reason: 'NameTaken', message: 'it is taken' },
  ...{ isOptional: false, generation: 1, waitMs: 8000 },
};
const TAKEN_ACCOUNT: WriteFailure = { ...TAKEN, kind: 'ServiceAccount', names: new Set(['account']) };
const DUE = { ...TAKEN, waitMs: 0 };
const suspended: PlainWorld = { runPolicy: { suspend: true } };
const ended: PlainWorld = { pods: [{ phase: 'Succeeded' }] };
const CHANGED = ['patch RoleBinding'];
const REVOKED = ['delete RoleBinding'];

describe('a binding to a role', () => {
  it.each<[what: string, grants: Grants, there: OwnedResource[], written: string[]]>([
    ['is created after its role', {}, [], ['create Role', 'create RoleBinding']],
    ['is kept up to date while the role exists', {}, [role(own(ROLE)), bound(own(BINDING))], CHANGED],
    ['is not created while another owner has the role', { writeFailures: [TAKEN] }, [], []],
    [
      'is not created for a suspended job while another owner has the role',
      { ...suspended, writeFailures: [TAKEN] },
      [],
      [],
    ],
    ['is not created while the role is being deleted', {}, [role(own(ROLE, going))], []],
    ['is kept while a deleted role is created again', {}, [bound(own(BINDING))], ['create Role', ...CHANGED]],
    [
      'is deleted when another owner is found to have the role',
      { writeFailures: [TAKEN] },
      [bound(own(BINDING))],
      REVOKED,
    ],
    [
      'is deleted before the role is tried again',
      { writeFailures: [DUE] },
      [bound(own(BINDING))],
      [...REVOKED, 'create Role'],
    ],
    [
      'is deleted if a suspended job has lost the role',
      { ...suspended, writeFailures: [TAKEN] },
      [bound(own(BINDING))],
      REVOKED,
    ],
    ['is deleted if a finished job has no role', ended, [bound(own(BINDING))], REVOKED],
    [
      'is deleted if another owner has the role of a finished job',
      ended,
      [role(as(ROLE)), bound(own(BINDING))],
      REVOKED,
    ],
    ['is deleted if the role is being deleted', {}, [role(own(ROLE, going)), bound(own(BINDING))], REVOKED],
    ['is deleted once', { writeFailures: [TAKEN] }, [bound(own(BINDING, going))], []],
    ['of another owner is not changed', ended, [bound(as(BINDING))], []],
    [
      'to a ClusterRole is deleted',
      {},
      [role(own(ROLE)), bound(own({ ...BINDING, ...{ roleRef: { kind: 'ClusterRole', name: 'access' } } }))],
      REVOKED,
    ],
    [
      "is deleted when the job's own account turns out to be taken",
      { writeFailures: [TAKEN_ACCOUNT], ownAccount: true },
      [role(own(ROLE)), bound(own(BINDING))],
      REVOKED,
    ],
    [
      "stays where the account is the user's own",
      { writeFailures: [TAKEN_ACCOUNT] },
      [role(own(ROLE)), bound(own(BINDING))],
      CHANGED,
    ],
  ])('%s', (_what, grants, there, expected) => {
    expect(written(grants, there)).toEqual(expected);
  });
});

describe('pods whose Service is being deleted', () => {
  const metadata = { name: JOB.name, namespace: JOB.namespace, uid: 'one', ownerReferences: owners, ...going };
  const plain = { workers: 1, services: [{ metadata }] };
  const reasons = (emitted: readonly string[]) =>
    planJob(plainAdapter(plain), worldOf({ ...plain, emittedEvents: emitted }), SETTINGS).events;

  it('are created when the Service has been replaced', () => {
    const plan = planJob(plainAdapter(plain), worldOf(plain), SETTINGS);
    expect(writesOf(plan, 'create')).toEqual([]);
  });

  it('have their wait reported once', () => {
    const waiting = {
      reason: 'WaitingForDeletion',
      note: expect.stringContaining('Service job is being deleted') as string,
    };
    const events = reasons([]).filter(({ reason }) => reason === waiting.reason);
    expect(events).toMatchObject([waiting]);
    expect(reasons([events[0]?.dedupKey ?? '']).map(({ reason }) => reason)).not.toContain(waiting.reason);
  });
});
