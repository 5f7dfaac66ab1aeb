import type { RayCluster, RayJob } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { ignoredClusterFields, ignoredJobFields } from './ignored-fields.ts';

const template = { spec: { containers: [{ name: 'ray', image: 'example.com/ray:2.60' }] } };
const head = (rest: object = {}) => ({ headGroupSpec: { template, ...rest } });

const cluster = (spec: object, annotations: Record<string, string> = {}) =>
  ({ metadata: { name: 'demo', annotations }, spec: { ...head(), ...spec } }) as RayCluster;

const job = (spec: object) =>
  ({
    spec: { submissionMode: 'K8sJobMode', entrypoint: 'python train.py', rayClusterSpec: head(), ...spec },
  }) as RayJob;

const paths = (problems: readonly { readonly path: string }[]) => problems.map(({ path }) => path);

const TIMEOUT = 'ray.io/gcs-ft-deletion-timeout';
const INTERACTIVE = { submissionMode: 'InteractiveMode', entrypoint: undefined };
const STORAGE = { deletionPolicy: 'Retain' };

describe('the ignored fields of a RayCluster', () => {
  it.each<[string, object, object]>([
    ['autoscalerOptions', { autoscalerOptions: {} }, { autoscalerOptions: {}, enableInTreeAutoscaling: true }],
    ['headGroupSpec.ingressOptions', head({ ingressOptions: {} }), head({ ingressOptions: {}, enableIngress: true })],
    [
      'authOptions.secretName',
      { authOptions: { mode: 'disabled', secretName: 'mine' } },
      { authOptions: { secretName: 'mine' } },
    ],
    [
      'gcsFaultToleranceOptions.storage.deletionPolicy',
      { gcsFaultToleranceOptions: { backend: 'rocksdb', storage: { ...STORAGE, claimName: 'mine' } } },
      { gcsFaultToleranceOptions: { backend: 'rocksdb', storage: STORAGE } },
    ],
    ['tlsOptions', { tlsOptions: { enabled: false } }, {}],
  ])('%s, because of another field', (path, ignored, followed) => {
    expect(paths(ignoredClusterFields(cluster(ignored)))).toEqual([`spec.${path}`]);
    expect(ignoredClusterFields(cluster(followed))).toEqual([]);
    expect(paths(ignoredJobFields(job({ rayClusterSpec: { ...head(), ...ignored } })))).toEqual([
      `spec.rayClusterSpec.${path}`,
    ]);
  });

  it('include an invalid number of seconds', () => {
    expect(paths(ignoredClusterFields(cluster({}, { [TIMEOUT]: '5m' })))).toEqual([`metadata.annotations[${TIMEOUT}]`]);
    expect(ignoredClusterFields(cluster({}, { [TIMEOUT]: '60' }))).toEqual([]);
  });

  it('have the reason', () => {
    expect(ignoredClusterFields(cluster({ autoscalerOptions: {} }))).toEqual([
      { path: 'spec.autoscalerOptions', message: 'ignored: no autoscaler runs: set enableInTreeAutoscaling to true' },
    ]);
  });
});

describe('the ignored fields of a RayJob', () => {
  it.each<[string, object]>([
    ['entrypoint', { entrypoint: 'python train.py' }],
    ['runtimeEnvYAML', { runtimeEnvYAML: 'pip: []' }],
    ['metadata', { metadata: { a: 'b' } }],
    ['entrypointNumCpus', { entrypointNumCpus: 1 }],
    ['entrypointNumGpus', { entrypointNumGpus: 1 }],
    ['entrypointResources', { entrypointResources: '{}' }],
    ['submitterPodTemplate', { submitterPodTemplate: template }],
    ['submitterConfig', { submitterConfig: { backoffLimit: 1 } }],
  ])('%s in InteractiveMode', (path, spec) => {
    expect(paths(ignoredJobFields(job({ ...INTERACTIVE, ...spec })))).toEqual([`spec.${path}`]);
    expect(ignoredJobFields(job(spec))).toEqual([]);
  });

  it('include the submission if the submitter has its own command', () => {
    const submitter = { name: 'submitter', image: 'submitter:1', command: ['/submitter'] };
    const own = { submitterPodTemplate: { spec: { containers: [submitter] } } };
    const { entrypoint: _none, ...withoutEntrypoint } = job(own).spec;
    expect(ignoredJobFields({ ...job(own), spec: withoutEntrypoint })).toEqual([]);
    expect(paths(ignoredJobFields(job({ ...own, entrypoint: 'python train.py', metadata: { a: 'b' } })))).toEqual([
      'spec.entrypoint',
      'spec.metadata',
    ]);
  });

  it('include a submitter in HTTPMode', () => {
    const spec = { submissionMode: 'HTTPMode', submitterPodTemplate: template, submitterConfig: {} };
    expect(paths(ignoredJobFields(job(spec)))).toEqual(['spec.submitterPodTemplate', 'spec.submitterConfig']);
  });

  it('include the shutdown of a selected cluster, and other keys than its name', () => {
    const selected = { rayClusterSpec: undefined, clusterSelector: { 'ray.io/cluster': 'demo' } };
    expect(ignoredJobFields(job(selected))).toEqual([]);
    expect(paths(ignoredJobFields(job({ ...selected, shutdownAfterJobFinishes: true })))).toEqual([
      'spec.shutdownAfterJobFinishes',
    ]);
    const selector = { ...selected.clusterSelector, team: 'vision' };
    expect(paths(ignoredJobFields(job({ ...selected, clusterSelector: selector })))).toEqual(['spec.clusterSelector']);
  });
});
