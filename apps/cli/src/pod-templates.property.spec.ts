/**
 * Mistakes in pod templates: lists as maps, numbers as strings, omitted or wrongly nested parts. Planning never throws for any kind of
 * job: the manifest has problems with field paths, or can be planned.
 */
import { mpiAdapter } from '@muster/adapter-mpi';
import { mxAdapter } from '@muster/adapter-mxnet';
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { tfAdapter } from '@muster/adapter-tensorflow';
import { paddleAdapter } from '@muster/adapter-paddle';
import { jaxAdapter } from '@muster/adapter-jax';
import { xgboostAdapter } from '@muster/adapter-xgboost';
import {
  gangSchedulerNamed,
  newWorld,
  planJob,
  type FrameworkAdapter,
  type JobManifest,
} from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plannedObjects } from './planned-objects.ts';

type Json = null | string | number | boolean | Json[] | { [field: string]: Json };

const TEMPLATE = (container: string): Json => ({
  metadata: { labels: { team: 'vision' }, annotations: { note: 'x' }, finalizers: ['example.com/keep'] },
  spec: {
    volumes: [{ name: 'data', emptyDir: {} }],
    tolerations: [{ key: 'gpu', operator: 'Exists' }],
    imagePullSecrets: [{ name: 'registry' }],
    nodeSelector: { gpu: 'a100' },
    dnsConfig: { searches: ['example.com'], nameservers: ['10.0.0.1'], options: [{ name: 'ndots', value: '2' }] },
    securityContext: { runAsUser: 1000 },
    affinity: { nodeAffinity: {} },
    hostNetwork: true,
    schedulerName: 'none',
    resources: { requests: { cpu: '2' }, limits: { cpu: '2' } },
    initContainers: [
      { name: 'prepare', image: 'example.com/prepare:1', restartPolicy: 'Always', resources: { requests: { cpu: 1 } } },
    ],
    containers: [
      {
        name: container,
        image: 'example.com/train:1',
        command: ['train'],
        args: ['--fast'],
        env: [{ name: 'HOME', value: '/' }],
        envFrom: [{ configMapRef: { name: 'settings' } }],
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
        resources: { limits: { cpu: '2', 'nvidia.com/gpu': 1 }, requests: { memory: '1Gi' } },
        securityContext: { privileged: false },
      },
      { name: 'sidecar', image: 'example.com/sidecar:1' },
    ],
  },
});

interface Kind {
  readonly named: string;
  readonly adapter: FrameworkAdapter;
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: (template: Json) => object;
}

const roles = (field: string, container: string, ...names: readonly string[]) => ({
  container,
  spec: (template: Json) => ({ [field]: Object.fromEntries(names.map((name) => [name, { template }])) }),
});

const KINDS: readonly (Kind & { readonly container: string })[] = [
  {
    named: 'TFJob',
    kind: 'TFJob',
    apiVersion: 'kubeflow.org/v1',
    adapter: tfAdapter(),
    ...roles('tfReplicaSpecs', 'tensorflow', 'Chief', 'Worker'),
  },
  {
    named: 'PyTorchJob',
    kind: 'PyTorchJob',
    apiVersion: 'kubeflow.org/v1',
    adapter: pytorchAdapter(),
    ...roles('pytorchReplicaSpecs', 'pytorch', 'Master', 'Worker'),
  },
  {
    named: 'MXJob',
    kind: 'MXJob',
    apiVersion: 'kubeflow.org/v1',
    adapter: mxAdapter(),
    ...roles('mxReplicaSpecs', 'mxnet', 'Scheduler', 'Server', 'Worker'),
  },
  {
    named: 'XGBoostJob',
    kind: 'XGBoostJob',
    apiVersion: 'kubeflow.org/v1',
    adapter: xgboostAdapter(),
    ...roles('xgbReplicaSpecs', 'xgboost', 'Master', 'Worker'),
  },
  {
    named: 'JAXJob',
    kind: 'JAXJob',
    apiVersion: 'kubeflow.org/v1',
    adapter: jaxAdapter(),
    ...roles('jaxReplicaSpecs', 'jax', 'Worker'),
  },
  {
    named: 'PaddleJob',
    kind: 'PaddleJob',
    apiVersion: 'kubeflow.org/v1',
    adapter: paddleAdapter(),
    ...roles('paddleReplicaSpecs', 'paddle', 'Master', 'Worker'),
  },
  ...(['v2beta1', 'v1'] as const).map((version) => ({
    named: `MPIJob of ${version}`,
    kind: 'MPIJob',
    apiVersion: `kubeflow.org/${version}`,
    adapter: mpiAdapter(),
    container: 'mpi',
    // The API server's default.
    spec: (template: Json) => ({
      apiGeneration: version,
      mpiReplicaSpecs: { Launcher: { template }, Worker: { template } },
    }),
  })),
  {
    named: 'MPIJob of v1alpha1',
    kind: 'MPIJob',
    apiVersion: 'kubeflow.org/v1alpha1',
    adapter: mpiAdapter(),
    container: 'mpi',
    spec: (template) => ({ apiGeneration: 'v1alpha1', replicas: 2, template }),
  },
];

type Path = readonly (string | number)[];

function pathsOf(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => pathsOf(item, [...path, index]))
    : Object.entries(value).flatMap(([field, item]) => pathsOf(item, [...path, field]));
  return [path, ...inner];
}

/** `value` with another value at `path`; undefined removes it. */
function changed(value: Json, [step, ...rest]: Path, change: (part: Json) => Json | undefined): Json | undefined {
  if (step === undefined) return change(value);
  if (typeof value !== 'object' || value === null) return value;
  const part = Reflect.get(value, step) as Json | undefined;
  if (part === undefined) return value;
  const next = changed(part, rest, change);
  if (Array.isArray(value))
    return value.flatMap((item, index) => (index === step ? (next === undefined ? [] : [next]) : [item]));
  const { [String(step)]: _part, ...others } = value;
  return next === undefined ? others : { ...others, [String(step)]: next };
}

/** Fields that are null count as absent, because the API server drops them. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, content]) => content !== null);
  return Object.fromEntries(fields.map(([field, content]) => [field, withoutNulls(content)]));
}

const SLIPS: readonly ((part: Json) => Json | undefined)[] = [
  (part) => (Array.isArray(part) ? (part[0] ?? {}) : [part]),
  (part) =>
    Array.isArray(part) ? Object.fromEntries(part.map((item, index) => [`item-${index}`, item])) : { value: part },
  (part) => (typeof part === 'object' ? JSON.stringify(part) : [String(part), String(part)]),
  (part) => (typeof part === 'string' ? 7 : 'text'),
  (part) => ({ spec: part }),
  () => null,
  () => undefined,
  () => true,
  () => [null],
  () => [],
  () => ({}),
  () => -1.5,
];

const mutation = fc.record({ where: fc.nat(), slip: fc.constantFrom(...SLIPS) });

const SETTINGS = [undefined, 'volcano', 'coscheduling'].map((name) => {
  const gang = name === undefined ? undefined : gangSchedulerNamed(name);
  return { clusterDomain: 'cluster.local', ...(gang && { gang }) };
});

const world = fc.record({
  mutations: fc.array(mutation, { minLength: 1, maxLength: 2 }),
  serviceMode: fc.constantFrom('PerJob', 'PerReplica'),
  settings: fc.constantFrom(...SETTINGS),
});

describe('a pod template with mistakes', () => {
  it.each(KINDS)(
    'either has problems with a path or is planned, in a $named',
    ({ adapter, apiVersion, kind, container, spec }) => {
      fc.assert(
        fc.property(world, ({ mutations, serviceMode, settings }) => {
          const template = mutations.reduce<Json>((whole, { where, slip }) => {
            const paths = pathsOf(whole);
            return changed(whole, paths[where % paths.length] ?? [], slip) ?? {};
          }, TEMPLATE(container));
          const metadata = { name: 'mnist', namespace: 'team', uid: 'uid', generation: 1 };
          const jobOf = (pods: Json): JobManifest => ({
            ...{ apiVersion, kind, metadata },
            spec: { ...spec(pods), runPolicy: { suspend: false } },
          });
          const options = { ...settings, serviceMode };
          const shown = plannedObjects(jobOf(template), { ...options, namespace: 'team' });
          if ('problems' in shown) for (const problem of shown.problems) expect(problem).toMatch(/^spec[.][^:]+: /);
          // Also stored under a CRD without Muster's rules.
          const { status } = planned(planJob(adapter, newWorld(jobOf(withoutNulls(template)), 0), options));
          const failed = status?.conditions?.find(({ type }) => type === 'Failed');
          // `muster plan` also reports what the API server refuses.
          if (failed !== undefined) expect(shown).toHaveProperty('problems');
        }),
        { numRuns: 200 },
      );
    },
    60_000,
  );
});

describe('a job that ended under another operator, with a spec without pods', () => {
  it.each(KINDS)('is deleted after its time to live without an event, as a $named', (each) => {
    const { adapter, apiVersion, kind } = each;
    const ended = { type: 'Succeeded', status: 'True' as const, lastTransitionTime: '2025-01-01T00:00:00Z' };
    const manifest: JobManifest = {
      ...{ apiVersion, kind },
      metadata: { name: 'mnist', namespace: 'team', uid: 'uid', generation: 1 },
      spec: { runPolicy: { ttlSecondsAfterFinished: 60 } },
      status: { conditions: [ended], completionTime: '2025-01-01T00:00:00Z' },
    };
    const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
    const at = (time: string) => {
      const { deleteJob, status, events, requeueAfterMs } = planned(
        planJob(adapter, newWorld(manifest, Date.parse(time)), settings),
      );
      return { deleteJob, status: status?.conditions, events, requeueAfterMs };
    };
    expect(at('2026-01-01T00:00:00Z')).toEqual({ deleteJob: true, events: [] });
    expect(at('2025-01-01T00:00:10Z')).toMatchObject({ deleteJob: false, events: [], requeueAfterMs: 50_000 });
  });
});
