/** Minimal jobs of three frameworks and of Volcano. */
export const container = { name: 'pytorch', image: 'registry.example/train:1' };

export function pytorchJob(podSpec: object, annotations = {}) {
  const template = { metadata: { annotations }, spec: { containers: [container], ...podSpec } };
  return { spec: { pytorchReplicaSpecs: { Master: { template } } } };
}

export function mpiJob() {
  const template = { spec: { containers: [{ ...container, name: 'mpi' }] } };
  return { spec: { mpiReplicaSpecs: { Launcher: { template }, Worker: { template } } } };
}

export function rayCluster(spec: object = {}, headGroupSpec: object = {}) {
  const template = { spec: { containers: [{ ...container, name: 'ray' }] } };
  const worker = { groupName: 'small', replicas: 1, minReplicas: 0, maxReplicas: 9, rayStartParams: {}, template };
  return {
    spec: {
      headGroupSpec: { rayStartParams: {}, template, ...headGroupSpec },
      workerGroupSpecs: [worker],
      ...spec,
    },
  };
}


/** With one pod. */
export function volcanoJob(plugin: string, podSpec: object = {}) {
  const template = { spec: { containers: [{ ...container, name: 'main' }], ...podSpec } };
  return { spec: { plugins: { [plugin]: [] }, tasks: [{ name: 'worker', replicas: 1, template }] } };
}
