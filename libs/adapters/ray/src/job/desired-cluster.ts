/** The RayCluster of a RayJob, created from its `rayClusterSpec` once per attempt; later changes have no effect. */
import type { Container, PodTemplateSpec, RayCluster, RayClusterSpec, RayJob } from '@muster/job-api';
import { ANNOTATIONS } from '@muster/job-api';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { dashboardPort } from '../services/head-service.ts';
import { jobLabels, SUBMISSION_MODE_LABEL } from './ray-job-labels.ts';
import type { RayJobRecord } from './ray-job-status.ts';
import { defaultSubmitter, submitterContainer } from './submitter-container.ts';

/** Annotations about the RayJob itself. */
const NOT_COPIED: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  ANNOTATIONS.status,
  ANNOTATIONS.sidecarGraceSeconds,
];

/**
 * With the job's labels and annotations, as upstream: queues and `ray.io` annotations are meant for the cluster. The
 * job has a `rayClusterSpec`, and its record names the cluster.
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

/** A recreated head would start a second submitter, and a restarted container would submit again. */
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
