/** All versions of the local cluster's programs. After a change the next start builds and runs the new version. */
export const KUBERNETES_VERSION = '1.37.2';
/** The previous release, which Muster supports as well. */
export const PREVIOUS_KUBERNETES_VERSION = '1.36.3';
/** The oldest supported release, in its newest patch release of which Go's proxy serves every module. */
export const OLDEST_KUBERNETES_VERSION = '1.31.3';
export const ETCD_VERSION = '3.6.8';
export const KWOK_VERSION = '0.8.0';
export const COREDNS_VERSION = '1.14.7';

/** Helm, which installs the charts. */
export const HELM_VERSION = '4.3.1';

/** The metrics server, from which horizontal autoscalers read the usage of CPU and memory. */
export const METRICS_SERVER_VERSION = '0.9.0';

/** Volcano's scheduler, controllers and webhooks, with the version of Kubernetes' modules that it uses. */
export const VOLCANO_VERSION = '1.14.1';
export const VOLCANO_APIS_VERSION = '1.14.0';
export const VOLCANO_KUBERNETES_MODULES = '0.34.3';

/** The scheduler with the plugin Coscheduling, with the version of Kubernetes' modules that it uses. */
export const SCHEDULER_PLUGINS_VERSION = '0.33.5';
export const SCHEDULER_PLUGINS_KUBERNETES = '1.33.13';

/** Kueue, which queues jobs. */
export const KUEUE_VERSION = '0.15.0';

/** Kubeflow's operators and KubeRay, whose jobs Muster takes over. */
export const TRAINING_OPERATOR_VERSION = '1.9.4';
export const MPI_OPERATOR_VERSION = '0.8.0';
/** The newest that Go's proxy serves. */
export const KUBERAY_VERSION = '1.6.2';

/** The Go release that the go.mod files of these modules declare. */
export const GO_VERSION = '1.26';
