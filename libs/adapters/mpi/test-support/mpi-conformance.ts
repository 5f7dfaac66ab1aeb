import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  LABELS,
  MPI_JOBS,
  mpiJobDefinition,
  OPERATOR_NAMES,
  replicaName,
  type MPIGeneration,
  type MPIJob,
  type Pod,
} from '@muster/job-api';
import { describeConformance, loneOperatorOptions, started, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { mpiAdapter } from '../src/mpi-adapter.ts';

const CONTAINER = 'mpi';

const launcherName = (job: string) => `${job}-launcher`;

const workerNames = (job: string, workers: number) =>
  Array.from({ length: workers }, (_worker, index) => replicaName(job, 'Worker', index));

/** For a job that runs and succeeds. */
const EVENTS: Readonly<Record<MPIGeneration, Readonly<Record<string, number>>>> = {
  v2beta1: { SuccessfulCreateJob: 1, SuccessfulCreatePod: 1 },
  v1: { SuccessfulCreatePod: 2 },
  v1alpha1: { SuccessfulCreateStatefulSet: 1, SuccessfulUpdateStatefulSet: 1, SuccessfulCreateJob: 1 },
};

const V2BETA1_POLICIES = {
  Always: 'OnFailure',
  OnFailure: 'OnFailure',
  ExitCode: 'OnFailure',
  Never: 'Never',
} as const;

const NOT_KUBEFLOWS = "kubeflow's training operator runs only v1 jobs";

const LAUNCHER_DECIDES = 'a v2beta1 job fails with its launcher, not with a worker';
const NO_EXIT_CODES = 'v2beta1 has no restart policy ExitCode';
const HEALED = 'a StatefulSet recreates the workers of v1alpha1, and a Job the launcher';
const NO_SCALE = 'a v1alpha1 job has three fields for its size, none of which counts workers';
const NO_PODS_OF_OURS = 'Muster creates no pods of v1alpha1 itself';

/** Seen with 1.31 (accepted) and 1.36 (refused). With the former, the job gets the condition Waiting, reason NoReport. */
const CHECKS_STATEFUL_SETS = 36;
const UNCHECKED = `Kubernetes before 1.${CHECKS_STATEFUL_SETS} accepts any template in a StatefulSet`;

/** Cases that do not apply to a generation, by a part of topic or name, and the reason. */
const DO_NOT_APPLY: Readonly<Record<MPIGeneration, readonly (readonly [RegExp, string])[]>> = {
  v2beta1: [
    [/taking over from kubeflow/, NOT_KUBEFLOWS],
    [
      /under Never: the job fails|Never: the first failure|failed for good|has Failed: |condition Failed that/,
      LAUNCHER_DECIDES,
    ],
    [/ExitCode: retries|that fails after restarts/, NO_EXIT_CODES],
  ],
  v1: [],
  v1alpha1: [
    [/taking over from kubeflow/, NOT_KUBEFLOWS],
    [/scale subresource/, NO_SCALE],
    [
      /a failure policy|a policy recreates all pods|restarts and their limit|a pod that is lost|concurrent operators|the number of replicas|waits to be restarted/,
      HEALED,
    ],
    [
      /has Failed: |that fails after restarts|that has failed before|clock that is set back|(counts|limits) of restarts/,
      HEALED,
    ],
    [/has condition Restarting|is run from the caches alone/, HEALED],
    [
      /a wide job|pods beyond a quota|pods? that an admission|several at a time|a status that the API|refused|orphan/i,
      NO_PODS_OF_OURS,
    ],
    [/before its pods are created|terminating namespace|recreated at once/, NO_PODS_OF_OURS],
  ],
};

function whyNot(generation: MPIGeneration, topic: string, name: string, minorVersion: number): string | undefined {
  const isUnchecked = generation === 'v1alpha1' && minorVersion < CHECKS_STATEFUL_SETS;
  if (isUnchecked && name.startsWith('a template that the API server refuses')) return UNCHECKED;
  return DO_NOT_APPLY[generation].find(([part]) => part.test(`${topic}: ${name}`))?.[1];
}

/** A v2beta1 object, as the operator reads it, with the marker that the API of `generation` writes. */
function manifestOf(generation: MPIGeneration, shape: JobShape): MPIJob {
  const { name, namespace, workers, annotations, runPolicy, restartPolicy, template } = shape;
  const policy = generation === 'v2beta1' ? V2BETA1_POLICIES[restartPolicy] : restartPolicy;
  const roles = {
    mpiReplicaSpecs: {
      Launcher: { restartPolicy: policy, template },
      Worker: { replicas: workers, restartPolicy: policy, template },
    },
  };
  return {
    apiVersion: 'kubeflow.org/v2beta1',
    kind: 'MPIJob',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      apiGeneration: generation,
      runPolicy: { suspend: false, ...runPolicy },
      ...(generation === 'v1alpha1' ? { replicas: workers, template } : roles),
    },
  };
}

/** A Job's pods have a generated suffix. */
function knownAs({ metadata }: Pod): string {
  const { name = '', labels = {} } = metadata ?? {};
  return labels[LABELS.jobRole] === 'launcher' ? launcherName(labels[LABELS.jobName] ?? '') : name;
}

export function describeMPIConformance(generation: MPIGeneration): Promise<void> {
  return describeConformance({
    resource: MPI_JOBS,
    crd: crdFor(mpiJobDefinition),
    operatorName: generation === 'v1' ? OPERATOR_NAMES.MPIJobV1 : OPERATOR_NAMES.MPIJob,
    containerName: CONTAINER,
    workerRole: 'Worker',
    manifest: (shape) => manifestOf(generation, shape),
    podNames: (job, workers) => [launcherName(job), ...workerNames(job, workers)],
    decidingPods: (job) => [launcherName(job)],
    endlessPods: workerNames,
    podsOfWorkloads: (job, workers) => [
      ...(generation === 'v1' ? [] : [launcherName(job)]),
      ...(generation === 'v1alpha1' ? workerNames(job, workers) : []),
    ],
    hasOwnNetwork: true,
    // v2beta1 and v1alpha1 own everything that a job of v1 owns.
    hasOwnedResources: generation !== 'v1',
    eventsOfALife: EVENTS[generation],
    labelSelector: `${LABELS.operatorName} in (${OPERATOR_NAMES.MPIJob},${OPERATOR_NAMES.MPIJobV1})`,
    doesNotApply: (topic, name, minorVersion) => whyNot(generation, topic, name, minorVersion),
    lastPods: (job) => (generation === 'v2beta1' ? [] : [launcherName(job)]),
    knownAs,
    startOperator(start) {
      const registry = new Registry();
      const adapter = { ...mpiAdapter({ launcherComputes: false }), resource: start.resource };
      return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
    },
  });
}
