/** The pod of a head or a worker, without name and owner. */
import type { Container, PodSpec, PodTemplateSpec } from '@muster/job-api';
import { withToken, withTokenVolume } from '../access/token-auth.ts';
import { autoscalerContainer } from '../autoscaler/autoscaler-container.ts';
import { autoscalerAccount } from '../autoscaler/autoscaler-access.ts';
import { hasAutoscaler, neverRestartsInPlace } from '../autoscaler/autoscaler-version.ts';
import { gcsBackend } from '../fault-tolerance/gcs-backend.ts';
import { externalStorageNamespace } from '../fault-tolerance/redis.ts';
import { withGcsVolume } from '../fault-tolerance/rocksdb.ts';
import { SUBMITTER_CONTAINER } from '../job/submitter-container.ts';
import { isTrue } from '../model/cluster-annotations.ts';
import type { ClusterModel, RayGroup } from '../model/ray-cluster-model.ts';
import { KUBERAY_VERSION, RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { recreateHash } from '../recreate-hash.ts';
import { headPortsAnnotation } from '../services/head-ports.ts';
import { withPorts } from './container-ports.ts';
import { withProbes } from './probes.ts';
import { headEnv, withFeatureEnv, withRayEnv } from './ray-env.ts';
import { startedContainer } from './start-command.ts';
import { withMount, withSharedMemory, withVolume } from './volumes.ts';
import { waitForGcs } from './wait-for-gcs.ts';

/**
 * Makes the pod of a template a node of the cluster. Its first container is the Ray container. The user's settings are
 * kept, except for variables that identify the pod, and the restart policy under autoscaler v2.
 */
export function rayPodSpec(cluster: ClusterModel, group: RayGroup, spec: PodSpec): PodSpec {
  const [users, ...sidecars] = spec.containers;
  if (users === undefined) return spec;
  const ray = withToken(cluster, withPorts(group, spec, withFeatureEnv(cluster, group, users)));
  const waiting = group.kind === 'worker' ? [waitForGcs(cluster, withToken(cluster, users))] : [];
  const inits = [...(spec.initContainers ?? []), ...waiting].map((container) => ({
    ...container,
    env: [...(container.env ?? []), ...headEnv(cluster)],
  }));
  const pod: PodSpec = {
    ...spec,
    ...(inits.length > 0 && { initContainers: inits }),
    containers: [
      ray,
      ...sidecars.map((sidecar) => (sidecar.name === SUBMITTER_CONTAINER ? withToken(cluster, sidecar) : sidecar)),
    ],
    ...(neverRestartsInPlace(cluster) && { restartPolicy: 'Never' }),
  };
  const withVolumes = withTokenVolume(cluster, withSharedMemory(pod, group));
  const whole = group.kind === 'head' ? asHead(cluster, withVolumes) : withVolumes;
  return withRayContainer(whole, (container) => started(cluster, group, container));
}

/** The template's annotations, and those that KubeRay's users read. */
export function podAnnotations(
  cluster: ClusterModel,
  group: RayGroup,
  template: PodTemplateSpec = group.spec.template,
): Record<string, string> {
  const backend = gcsBackend(cluster);
  const overwrites = isTrue(cluster.annotations[RAY_ANNOTATIONS.overwriteCommand]);
  return {
    ...template.metadata?.annotations,
    ...(overwrites && { [RAY_ANNOTATIONS.overwriteCommand]: 'true' }),
    ...(group.kind === 'head' && headPortsAnnotation(cluster)),
    ...(group.kind === 'head' && { [RAY_ANNOTATIONS.ftEnabled]: String(backend !== undefined) }),
    ...(group.kind === 'head' &&
      backend === 'redis' && { [RAY_ANNOTATIONS.externalStorageNamespace]: externalStorageNamespace(cluster) }),
    [RAY_ANNOTATIONS.kuberayVersion]: KUBERAY_VERSION,
    [RAY_ANNOTATIONS.recreateHash]: recreateHash(cluster.spec),
  };
}

function started(cluster: ClusterModel, group: RayGroup, container: Container): Container {
  const whole = withProbes(cluster, group, withRayEnv(cluster, group, container));
  return { ...whole, ...startedContainer(cluster, group, container) };
}

function asHead(cluster: ClusterModel, spec: PodSpec): PodSpec {
  const head = withGcsVolume(cluster, spec);
  return hasAutoscaler(cluster) ? withAutoscaler(cluster, head) : head;
}

/** The head's dashboard shows the autoscaler's logs. */
const LOGS = { name: 'ray-logs', mountPath: '/tmp/ray' };

function withAutoscaler(cluster: ClusterModel, spec: PodSpec): PodSpec {
  const autoscaler = withMount(autoscalerContainer(cluster, spec.containers[0]?.image), LOGS);
  const head = withRayContainer(spec, (ray) => withMount(ray, LOGS));
  return withVolume(
    { ...head, serviceAccountName: autoscalerAccount(cluster), containers: [...head.containers, autoscaler] },
    { name: LOGS.name, emptyDir: {} },
  );
}

function withRayContainer(spec: PodSpec, change: (container: Container) => Container): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map((container, index) => (index === 0 ? change(container) : container)),
  };
}
