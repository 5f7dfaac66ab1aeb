/** Jobs there and back: what is planned for the converted job has the roles, programs and places of the first. */
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
    '%s gets the same pods as a Volcano Job, and when it has come back',
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

  it('an MPIJob keeps its slots, and its launcher is the master', () => {
    const { manifest, lost } = converted(example('mpi/pi-v2beta1'));
    expect(manifest.spec).toMatchObject({
      plugins: { mpi: ['--master=launcher', '--worker=worker', '--slots=2'] },
      tasks: [{ name: 'launcher' }, { name: 'worker', replicas: 2 }],
    });
    expect(lost).toEqual([]);
    expect(pods(manifest)).toHaveLength(3);
    expect(converted(manifest).manifest.spec).toMatchObject({ slotsPerWorker: 2 });
  });

  it('a queue, a least, a priority and a time to live go along', () => {
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

  it.each<[what: string, manifest: Manifest, says: string]>([
    [
      'when a job is done that a single worker completes',
      {
        ...{ apiVersion: 'kubeflow.org/v1', kind: 'TFJob', metadata: { name: 'a' } },
        spec: { tfReplicaSpecs: { Worker: { template: { spec: { containers } } } } },
      },
      'spec.successPolicy: is as if it were AllWorkers',
    ],
    [
      'a deadline',
      {
        ...{ apiVersion: 'kubeflow.org/v1', kind: 'TFJob', metadata: { name: 'a' } },
        spec: { tfReplicaSpecs: {}, runPolicy: { activeDeadlineSeconds: 60 } },
      },
      'spec.runPolicy.activeDeadlineSeconds: is left out: a Volcano Job has no deadline',
    ],
    [
      'restarts by exit code',
      {
        ...{ apiVersion: 'kubeflow.org/v1', kind: 'TFJob', metadata: { name: 'a' } },
        spec: { tfReplicaSpecs: { Worker: { restartPolicy: 'ExitCode', template: { spec: { containers } } } } },
      },
      'spec.tfReplicaSpecs[Worker].restartPolicy: ExitCode becomes Never: say by policies of the task, with exitCode, what is to be restarted',
    ],
    [
      'a task that the plugin does not know',
      {
        ...{ apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'a' } },
        spec: {
          plugins: { tensorflow: [] },
          tasks: [{ name: 'board', replicas: 1, template: { spec: { containers } } }],
        },
      },
      'spec.tasks[0]: board is left out: the plugin tensorflow is not told of it',
    ],
    [
      'policies',
      {
        ...{ apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'a' } },
        spec: { plugins: { pytorch: ['--wait-master-enabled'] }, tasks: [], policies: [] },
      },
      'spec.policies: is left out: say by restartPolicy of each role, and by runPolicy.failurePolicy, what follows from a failure',
    ],
    [
      'an argument',
      {
        ...{ apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'a' } },
        spec: { plugins: { pytorch: ['--wait-master-enabled'] }, tasks: [] },
      },
      'spec.plugins.pytorch[0]: --wait-master-enabled is left out: the other form has nothing like it',
    ],
  ])('tells of what is left out: %s', (_what, manifest, says) => {
    expect(converted(manifest).lost).toContain(says);
  });

  it.each<[what: string, manifest: Manifest, says: string]>([
    ['another kind', { apiVersion: 'batch/v1', kind: 'Job' }, 'Job of batch/v1 cannot be converted; known: TFJob'],
    [
      'a Volcano Job of Ray',
      { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', spec: { plugins: { ray: [] } } },
      'spec.plugins: names none of tensorflow, pytorch, mpi, mxnet',
    ],
  ])('does not convert %s', (_what, manifest, says) => {
    expect(convertJob(manifest)).toContain(says);
  });
});
