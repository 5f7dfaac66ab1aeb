import { describe, expect, it } from 'vitest';
import { MPI_V1_ADMISSION } from '../test/mpi-v1-cases.ts';
import { MPI_V1ALPHA1_ADMISSION } from '../test/mpi-v1alpha1-cases.ts';
import { MPI_V2BETA1_ADMISSION } from '../test/mpi-v2beta1-cases.ts';
import { MX_ADMISSION } from '../test/mx-job-cases.ts';
import { job, PYTORCH_ADMISSION, role } from '../test/pytorch-job-cases.ts';
import { RAY_CLUSTER_ADMISSION } from '../test/ray-cluster-cases.ts';
import { RAY_CRON_JOB_ADMISSION } from '../test/ray-cron-job-cases.ts';
import { RAY_JOB_ADMISSION } from '../test/ray-job-cases.ts';
import { RAY_SERVICE_ADMISSION } from '../test/ray-service-cases.ts';
import { TF_ADMISSION } from '../test/tf-job-cases.ts';
import { PADDLE_ADMISSION } from '../test/paddle-job-cases.ts';
import { JAX_ADMISSION } from '../test/jax-job-cases.ts';
import { XGBOOST_ADMISSION } from '../test/xgboost-job-cases.ts';
import { mpiJobDefinition } from './mpi-job.ts';
import { admitted, problemsOf } from './problems-of.ts';
import { pytorchJobDefinition } from './pytorch-job.ts';

const problems = (manifest: object) => problemsOf(pytorchJobDefinition, manifest);

describe.each(
  [
    PYTORCH_ADMISSION,
    TF_ADMISSION,
    MX_ADMISSION,
    PADDLE_ADMISSION,
    JAX_ADMISSION,
    XGBOOST_ADMISSION,
    MPI_V2BETA1_ADMISSION,
    MPI_V1_ADMISSION,
    MPI_V1ALPHA1_ADMISSION,
    RAY_CLUSTER_ADMISSION,
    RAY_JOB_ADMISSION,
    RAY_CRON_JOB_ADMISSION,
    RAY_SERVICE_ADMISSION,
  ].map((table) => [`${table.definition.resource.kind} ${table.version ?? ''}`.trim(), table] as const),
)('problemsOf a %s', (_kind, { definition, refused, accepted }) => {
  it.each(refused.map((each) => [each.what, each] as const))('refuses %s', (_what, { manifest, path, message }) => {
    const [first] = problemsOf(definition, manifest);
    expect(first?.path).toBe(path);
    expect(first?.message).toContain(message);
  });

  it.each(accepted.map((each) => [each.what, each] as const))('accepts %s', (_what, { manifest }) => {
    expect(problemsOf(definition, manifest)).toEqual([]);
  });
});

describe('problemsOf', () => {
  it.each(['labels', 'annotations'])('reports a value without quotes among the %s', (field) => {
    const manifest = {
      ...job({ pytorchReplicaSpecs: { Worker: role() } }),
      metadata: { name: 'a', [field]: { 'a/b': 30 } },
    };
    expect(problems(manifest)).toEqual([
      { path: `metadata.${field}[a/b]`, message: 'Invalid value: 30: must be of type string' },
    ]);
  });

  it('reports all problems at once', () => {
    const manifest = job({
      nprocPerNode: 'all',
      pytorchReplicaSpecs: { Worker: role({ restartPolicy: 'Sometimes' }) },
    });
    expect(problems(manifest).map(({ path }) => path)).toEqual([
      'spec.nprocPerNode',
      'spec.pytorchReplicaSpecs[Worker].restartPolicy',
    ]);
  });

  it('ignores the status', () => {
    expect(problems({ ...job({ pytorchReplicaSpecs: { Worker: role() } }), status: { conditions: 'none' } })).toEqual(
      [],
    );
  });

  it('ignores a name that the API server will generate', () => {
    const manifest = { ...job({ pytorchReplicaSpecs: { Worker: role() } }), metadata: { generateName: 'mnist-' } };
    expect(problems(manifest)).toEqual([]);
  });
});

describe('a kind with several versions', () => {
  const pod = { template: { spec: { containers: [{ name: 'main', image: 'example.com/train:1' }] } } };
  const mpiJob = (version: string, spec: object = {}) => ({
    apiVersion: `kubeflow.org/${version}`,
    kind: 'MPIJob',
    metadata: { name: 'mnist' },
    spec: { mpiReplicaSpecs: { Launcher: pod }, ...spec },
  });
  const paths = (manifest: object) => problemsOf(mpiJobDefinition, manifest).map(({ path }) => path);

  it('is validated by the rules of the version of the manifest', () => {
    expect(paths(mpiJob('v2beta1'))).toEqual([]);
    expect(paths(mpiJob('v1'))).toEqual(['spec.mpiReplicaSpecs[Worker]']);
    expect(paths(mpiJob('v1alpha1'))).toEqual(['spec.gpus', 'spec.template']);
  });

  it('is validated, once stored, by the rules of its generation, in whichever version it is read', () => {
    expect(paths(mpiJob('v2beta1', { apiGeneration: 'v1' }))).toEqual(['spec.mpiReplicaSpecs[Worker]']);
    expect(paths(mpiJob('v1alpha1', { apiGeneration: 'v2beta1' }))).toEqual([]);
  });

  it('gets the defaults of the version of the manifest', () => {
    const { spec } = admitted(mpiJobDefinition, mpiJob('v1', { mpiReplicaSpecs: { Launcher: pod, Worker: pod } }));
    expect(spec.apiGeneration).toBe('v1');
  });
});

describe('admitted', () => {
  it('adds the run policy and keeps the rest as written', () => {
    const spec = {
      pytorchReplicaSpecs: { Worker: role({ template: { metadata: { labels: { a: 'b' } }, ...role().template } }) },
    };
    expect(admitted(pytorchJobDefinition, job(spec))).toEqual(job({ ...spec, runPolicy: { suspend: false } }));
  });

  it('drops unknown fields and fields without a value', () => {
    const spec = { pytorchReplicaSpecs: { Worker: role() } };
    const { spec: stored } = admitted(pytorchJobDefinition, job({ ...spec, replicas: 3, nprocPerNode: null }));
    expect(stored).toEqual({ ...spec, runPolicy: { suspend: false } });
  });
});
