/** Converts jobs to the other kind and back: the plan keeps names and programs of all pods. */
import { readFileSync } from 'node:fs';
import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { plannedObjects } from '../planned-objects.ts';
import { convertJob } from './convert-job.ts';
import type { Converted, Manifest } from './converted.ts';

const OPTIONS = { namespace: 'team', serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

function example(file: string): Manifest {
  const text = readFileSync(new URL(`../../../../examples/${file}.yaml`, import.meta.url), 'utf8');
  return parseAllDocuments(text).at(-1)?.toJS() as Manifest;
}

function converted(manifest: Manifest): Converted {
  const found = convertJob(manifest);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

/** Name and program of each pod. */
function pods(manifest: Manifest): string[] {
  const planned = plannedObjects(manifest, OPTIONS);
  if ('problems' in planned) throw new Error(planned.problems.join('\n'));
  return planned.objects
    .filter(({ kind }) => kind === 'Pod')
    .map((pod) => pod as Pod)
    .map(({ metadata, spec }) => `${metadata?.name}: ${(spec?.containers[0]?.command ?? []).join(' ')}`);
}

const containers = [{ name: 'any', image: 'registry.example/train:1' }];

describe('convertJob', () => {
  it.each(['tensorflow/multi-worker', 'tensorflow/parameter-server', 'pytorch-elastic/static', 'mxnet/dist-sync'])(
    '%s gets the same pods as a Volcano Job, and after the conversion back',
    (file) => {
      const before = example(file);
      const there = converted(before);
      expect(there.lost).toEqual([]);
      expect(pods(there.manifest)).toEqual(pods(before));
      const back = converted(there.manifest);
      expect(back.lost).toEqual([]);
      expect(pods(back.manifest)).toEqual(pods(before));
      expect(back.manifest).toMatchObject({ apiVersion: before.apiVersion, kind: before.kind });
    },
  );

  it('keeps the slots of an MPIJob, and makes its launcher the master', () => {
    const { manifest, lost } = converted(example('mpi/pi-v2beta1'));
    expect(manifest.spec).toMatchObject({
      plugins: { mpi: ['--master=launcher', '--worker=worker', '--slots=2'] },
      tasks: [{ name: 'launcher' }, { name: 'worker', replicas: 2 }],
    });
    expect(lost).toEqual([]);
    expect(pods(manifest)).toHaveLength(3);
    expect(converted(manifest).manifest.spec).toMatchObject({ slotsPerWorker: 2 });
  });

  it('keeps queue, minAvailable, priority and time to live', () => {
    const before = example('pytorch-elastic/static');
    const runPolicy = {
      ttlSecondsAfterFinished: 60,
      schedulingPolicy: { minAvailable: 2, queue: 'research', priorityClass: 'high' },
    };
    const there = converted({ ...before, spec: { ...before.spec, runPolicy } });
    expect(there.manifest.spec).toMatchObject({
      ...{ minAvailable: 2, queue: 'research', priorityClassName: 'high', ttlSecondsAfterFinished: 60 },
    });
    expect(converted(there.manifest).manifest.spec?.['runPolicy']).toEqual(runPolicy);
  });

  it.each<[what: string, manifest: Manifest, expected: string]>([
    [
      'the success policy',
      {
        ...{ apiVersion: 'kubeflow.org/v1', kind: 'TFJob', metadata: { name: 'a' } },
        spec: { tfReplicaSpecs: { Worker: { template: { spec: { containers } } } } },
      },
      'spec.successPolicy: the Volcano Job behaves as with AllWorkers',
    ],
    [
      'a deadline',
      {
        ...{ apiVersion: 'kubeflow.org/v1', kind: 'TFJob', metadata: { name: 'a' } },
        spec: { tfReplicaSpecs: {}, runPolicy: { activeDeadlineSeconds: 60 } },
      },
      'spec.runPolicy.activeDeadlineSeconds: left out: a Volcano Job has no deadline',
    ],
    [
      'restarts by exit code',
      {
        ...{ apiVersion: 'kubeflow.org/v1', kind: 'TFJob', metadata: { name: 'a' } },
        spec: { tfReplicaSpecs: { Worker: { restartPolicy: 'ExitCode', template: { spec: { containers } } } } },
      },
      'spec.tfReplicaSpecs[Worker].restartPolicy: ExitCode becomes Never: set policies of the task with exitCode instead',
    ],
    [
      'a task without an argument of the plugin',
      {
        ...{ apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'a' } },
        spec: {
          plugins: { tensorflow: [] },
          tasks: [{ name: 'board', replicas: 1, template: { spec: { containers } } }],
        },
      },
      'spec.tasks[0]: task board is left out: no argument of the plugin tensorflow names it',
    ],
    [
      'policies',
      {
        ...{ apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'a' } },
        spec: { plugins: { pytorch: ['--wait-master-enabled'] }, tasks: [], policies: [] },
      },
      'spec.policies: left out: set restartPolicy of each role, and runPolicy.failurePolicy, instead',
    ],
    [
      'an argument',
      {
        ...{ apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'a' } },
        spec: { plugins: { pytorch: ['--wait-master-enabled'] }, tasks: [] },
      },
      'spec.plugins.pytorch[0]: --wait-master-enabled is left out: the other kind has no equivalent',
    ],
  ])('reports what is left out: %s', (_what, manifest, expected) => {
    expect(converted(manifest).lost).toContain(expected);
  });

  it.each<[what: string, manifest: Manifest, expected: string]>([
    ['another kind', { apiVersion: 'batch/v1', kind: 'Job' }, 'Job of batch/v1 cannot be converted; supported: TFJob'],
    [
      'a kind without a plugin',
      { apiVersion: 'kubeflow.org/v1', kind: 'XGBoostJob' },
      'XGBoostJob of kubeflow.org/v1 cannot be converted: Volcano has no plugin for it, so its pods would lack their environment variables; supported: TFJob',
    ],
    [
      'an MPIJob of another version',
      { apiVersion: 'kubeflow.org/v1', kind: 'MPIJob' },
      'MPIJob of kubeflow.org/v1 cannot be converted: write it as kubeflow.org/v2beta1 first; supported: TFJob',
    ],
    [
      'a kind of KubeRay',
      { apiVersion: 'ray.io/v1', kind: 'RayCluster' },
      "RayCluster of ray.io/v1 cannot be converted: a Volcano Job does not submit programs and has no autoscaler; write one with Volcano's plugin ray; supported: TFJob",
    ],
    [
      'a Volcano Job of Ray',
      { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', spec: { plugins: { ray: [] } } },
      'spec.plugins: expected one of tensorflow, pytorch, mpi, mxnet',
    ],
  ])('does not convert %s', (_what, manifest, expected) => {
    expect(convertJob(manifest)).toContain(expected);
  });
});
