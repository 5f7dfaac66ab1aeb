/** The RayCluster that a RayJob runs on, made of its `rayClusterSpec` once for each try; later changes of that have no effect. */
import type { Container, PodTemplateSpec, RayCluster, RayClusterSpec, RayJob } from '@muster/job-api';
import { ANNOTATIONS } from '@muster/job-api';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { dashboardPort } from '../services/head-service.ts';
import { jobLabels, SUBMISSION_MODE_LABEL } from './ray-job-labels.ts';
import type { RayJobRecord } from './ray-job-status.ts';
import { defaultSubmitter, submitterContainer } from './submitter-container.ts';

/** What speaks of the RayJob alone, or would double what is in the RayJob itself. */
const NOT_COPIED: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  ANNOTATIONS.status,
  ANNOTATIONS.sidecarGraceSeconds,
];

/**
 * With the labels and annotations of the job, as upstream copies them: queues and the annotations of `ray.io` are meant for
 * the cluster. Called of a job with `rayClusterSpec` whose record names the cluster.
 *
 * @param clusterDomain the domain of the Kubernetes cluster's DNS
 */
export function desiredCluster(job: RayJob, record: RayJobRecord, clusterDomain: string): RayCluster {
  const { name = '', namespace, labels, annotations = {} } = job.metadata ?? {};
  const { submissionMode = 'K8sJobMode', rayClusterSpec } = job.spec;
  const isSidecar = submissionMode === 'SidecarMode';
  const spec = rayClusterSpec ?? { headGroupSpec: { template: {} } };
  const copied = Object.fromEntries(Object.entries(annotations).filter(([key]) => !NOT_COPIED.includes(key)));
  const metadata = {
    name: record.rayClusterName ?? '',
    ...(namespace !== undefined && { namespace }),
    labels: { ...labels, ...jobLabels(name), [SUBMISSION_MODE_LABEL]: submissionMode },
    annotations: { ...copied, ...(isSidecar && { [RAY_ANNOTATIONS.disableHeadRestart]: 'true' }) },
  };
  const model = { ...metadata, namespace: namespace ?? '', uid: '', spec, clusterDomain };
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata,
    spec: isSidecar ? withSubmitter(job, record, model) : spec,
  };
}

/** A head that is replaced would start a second submitter, and a container that starts again would submit anew. */
function withSubmitter(job: RayJob, record: RayJobRecord, cluster: ClusterModel): RayClusterSpec {
  const { headGroupSpec } = cluster.spec;
  const { template } = headGroupSpec;
  const address = `http://127.0.0.1:${dashboardPort(cluster)}`;
  const container = submitterContainer(defaultSubmitter(template), job.spec, record, { cluster, address });
  return { ...cluster.spec, headGroupSpec: { ...headGroupSpec, template: withContainer(template, container) } };
}

function withContainer(template: PodTemplateSpec, container: Container): PodTemplateSpec {
  const { containers = [], ...podSpec } = template.spec ?? {};
  return { ...template, spec: { ...podSpec, containers: [...containers, container], restartPolicy: 'Never' } };
}
