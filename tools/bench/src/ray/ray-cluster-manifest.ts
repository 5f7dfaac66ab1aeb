/** The RayClusters that are measured, and the same number of bare objects: their pods become ready at once on simulated nodes. */
import type { KubeObject, RayCluster } from '@muster/job-api';

const IMAGE = 'registry.example/ray:2.60.0';

/** The least number of objects of a RayCluster with one head and one worker. */
export interface BareCluster {
  readonly service: KubeObject;
  readonly pods: readonly KubeObject[];
}

/** A head, and one group of `workers`. */
export function rayCluster(namespace: string, name: string, workers: number): RayCluster {
  const group = (container: string) => ({
    rayStartParams: { 'num-cpus': '1' },
    template: { spec: { containers: [{ name: container, image: IMAGE }] } },
  });
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name, namespace },
    spec: {
      rayVersion: '2.60.0',
      headGroupSpec: group('ray-head'),
      workerGroupSpecs: [{ groupName: 'small', replicas: workers, ...group('ray-worker') }],
    },
  };
}

/** A head, a worker and the head's Service, all with `labels`. */
export function bareCluster(name: string, labels: Readonly<Record<string, string>>): BareCluster {
  const head = { ...labels, 'bench.muster.dev/head-of': name };
  const pod = (role: string, own: Readonly<Record<string, string>>) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${name}-${role}`, labels: own },
    spec: { containers: [{ name: `ray-${role}`, image: IMAGE }], restartPolicy: 'Never' },
  });
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `${name}-head-svc`, labels },
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: head, ports: [{ port: 6379 }] },
  };
  return { service, pods: [pod('head', head), pod('worker', { ...labels })] };
}
