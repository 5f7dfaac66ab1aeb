/** The container of Ray's autoscaler in the head's pod. It requests workers by writing `replicas` of the groups. */
import type { Container } from '@muster/job-api';
import { withToken } from '../access/token-auth.ts';
import { gcsPort } from '../model/ports.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { byField } from '../pods/ray-env.ts';
import { SHELL } from '../pods/start-command.ts';

/** KubeRay's name, by which users find its log. */
const AUTOSCALER_CONTAINER = 'autoscaler';

const AMOUNTS = { cpu: '500m', memory: '512Mi' };

/** Ray's default port of the GCS. */
const USUAL_GCS_PORT = '6379';

/** @param image the head's, whose Ray version the autoscaler needs */
export function autoscalerContainer(cluster: ClusterModel, image: string | undefined): Container {
  const { env = [], envFrom, volumeMounts, ...options } = cluster.spec.autoscalerOptions ?? {};
  const command = startCommand(cluster);
  const container = withToken(cluster, {
    name: AUTOSCALER_CONTAINER,
    ...(image !== undefined && { image }),
    imagePullPolicy: 'IfNotPresent',
    env: [
      byField('RAY_CLUSTER_NAME', `metadata.labels['${RAY_LABELS.cluster}']`),
      byField('RAY_CLUSTER_NAMESPACE', 'metadata.namespace'),
      byField('RAY_HEAD_POD_NAME', 'metadata.name'),
      { name: 'KUBERAY_CRD_VER', value: 'v1' },
      { name: 'KUBERAY_GEN_AUTOSCALER_START_CMD', value: command },
    ],
    command: SHELL,
    args: [command],
    resources: { limits: AMOUNTS, requests: AMOUNTS },
  });
  return {
    ...container,
    ...replaced(options),
    env: [...(container.env ?? []), ...env],
    ...(envFrom && { envFrom }),
    ...(volumeMounts && { volumeMounts: [...(container.volumeMounts ?? []), ...volumeMounts] }),
  } as Container;
}

type Options = NonNullable<ClusterModel['spec']['autoscalerOptions']>;

/** An empty list does not replace the default. */
function replaced({ image, imagePullPolicy, resources, securityContext, command, args }: Options): object {
  return {
    ...(image !== undefined && image !== '' && { image }),
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    ...(resources && { resources }),
    ...(securityContext && { securityContext }),
    ...(command && command.length > 0 && { command }),
    ...(args && args.length > 0 && { args }),
  };
}

/** Older releases of Ray do not support `--gcs-address`, so it is set only for another port. */
function startCommand(cluster: ClusterModel): string {
  const start =
    'ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace $(RAY_CLUSTER_NAMESPACE)';
  const port = gcsPort(cluster);
  return port === USUAL_GCS_PORT ? start : `${start} --gcs-address 127.0.0.1:${port}`;
}
