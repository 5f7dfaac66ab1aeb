import type { PyTorchJob } from '@muster/job-api';

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never' | 'ExitCode';
export type CleanPodPolicy = 'unset' | 'None' | 'Running' | 'All';

export interface JobShape {
  readonly name: string;
  readonly hasMaster: boolean;
  readonly workers: number;
  readonly isElastic: boolean;
  readonly restartPolicy: RestartPolicy;
  readonly cleanPodPolicy: CleanPodPolicy;
  readonly backoffLimit: number | undefined;
  readonly ttlSeconds: number | undefined;
  readonly deadlineSeconds: number | undefined;
  readonly isBornSuspended: boolean;
  readonly isPerReplica: boolean;
  /** Deleted pods stay until the simulated kubelet confirms their end. */
  readonly isSlowToGo: boolean;
  readonly managedBy: string | undefined;
  readonly isRefused: boolean;
}

/** Removed by the simulated kubelet. */
export const KUBELET_FINALIZER = 'muster.test/kubelet';

export function manifestOf(shape: JobShape, namespace: string): PyTorchJob {
  const { name, hasMaster, workers, isElastic, cleanPodPolicy, backoffLimit, managedBy } = shape;
  const role = (replicas: number) => ({ replicas, restartPolicy: shape.restartPolicy, template: templateOf(shape) });
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: {
      name,
      namespace,
      ...(shape.isPerReplica && { annotations: { 'muster.dev/service-mode': 'PerReplica' } }),
    },
    spec: {
      runPolicy: {
        suspend: shape.isBornSuspended,
        ...(cleanPodPolicy !== 'unset' && { cleanPodPolicy }),
        ...(backoffLimit !== undefined && { backoffLimit }),
        ...(shape.ttlSeconds !== undefined && { ttlSecondsAfterFinished: shape.ttlSeconds }),
        ...(shape.deadlineSeconds !== undefined && { activeDeadlineSeconds: shape.deadlineSeconds }),
        ...(managedBy !== undefined && { managedBy }),
      },
      ...(isElastic && { elasticPolicy: { minReplicas: 1, maxReplicas: 4 } }),
      pytorchReplicaSpecs: { ...(hasMaster && { Master: role(1) }), ...(workers > 0 && { Worker: role(workers) }) },
    },
  };
}

function templateOf({ isSlowToGo, isRefused }: JobShape) {
  const container = {
    name: 'pytorch',
    image: 'registry.example/train:1',
    ...(isRefused && { volumeMounts: [{ name: 'nowhere', mountPath: '/data' }] }),
  };
  return {
    ...(isSlowToGo && { metadata: { finalizers: [KUBELET_FINALIZER] } }),
    // Not scheduled: the test sets the pods' status.
    spec: { schedulerName: 'no-scheduler', containers: [container] },
  };
}
