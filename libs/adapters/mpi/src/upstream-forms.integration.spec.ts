import { createJobOperator, objectsOf } from '@muster/common-job-controller';
import {
  ENDPOINT_SLICES,
  MPI_GENERATIONS,
  mpiJobDefinition,
  PODS,
  SECRETS,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { describeUpstreamForms, loneOperatorOptions, started } from '@muster/testing';
import { Registry } from 'prom-client';
import { DISCOVER_HOSTS } from './pods/container-paths.ts';
import { MPI_OWNED_KINDS } from './mpi-owned-resources.ts';
import { mpiAdapter } from './mpi-adapter.ts';

const WORKLOADS: readonly Resource[] = [
  { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
  { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true },
];

/** EndpointSlices depend on the pods' addresses. */
const LASTING = MPI_OWNED_KINDS.map(({ resource }): Resource => resource).filter((each) => each !== ENDPOINT_SLICES);

const adapter = mpiAdapter();

/** The script depends on the running workers. */
function lasting(object: KubeObject & { data?: Record<string, string> }): typeof object {
  const { [DISCOVER_HOSTS]: _running, ...data } = object.data ?? {};
  return object.data === undefined ? object : { ...object, data };
}

for (const generation of MPI_GENERATIONS) {
  await describeUpstreamForms({
    definition: mpiJobDefinition,
    manifests: new URL(`../../../../examples/mpi/upstream-forms/${generation}/`, import.meta.url),
    containerName: 'mpi',
    childKinds: [...LASTING, SECRETS, ...WORKLOADS, PODS],
    lasting,
    serviceModes: ['PerJob'],
    objectsOf: (job, settings) => objectsOf(adapter, job, settings),
    startOperator(start) {
      const registry = new Registry();
      return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
    },
  });
}
