/** Every version the embedded cluster is made of. Change a number here and the next start builds and runs that version. */
export const KUBERNETES_VERSION = '1.37.2';
/** The release before, which Muster supports as well. */
export const PREVIOUS_KUBERNETES_VERSION = '1.36.3';
/** The oldest release that Muster supports, in the newest patch release of which Go's proxy serves every module. */
export const OLDEST_KUBERNETES_VERSION = '1.31.3';
export const ETCD_VERSION = '3.6.8';
export const KWOK_VERSION = '0.8.0';
export const COREDNS_VERSION = '1.14.7';

/** What installs the charts. */
export const HELM_VERSION = '4.3.1';

/** What horizontal autoscalers read the use of processors and memory from. */
export const METRICS_SERVER_VERSION = '0.9.0';

/** Volcano's scheduler, controllers and webhooks, with the modules of Kubernetes that it is built on. */
export const VOLCANO_VERSION = '1.14.1';
export const VOLCANO_APIS_VERSION = '1.14.0';
export const VOLCANO_KUBERNETES_MODULES = '0.34.3';

/** The scheduler with the plugin Coscheduling, with the modules of Kubernetes that it is built on. */
export const SCHEDULER_PLUGINS_VERSION = '0.33.5';
export const SCHEDULER_PLUGINS_KUBERNETES = '1.33.13';

/** What queues jobs. */
export const KUEUE_VERSION = '0.15.0';

/** The Go release that the modules above declare in their go.mod. */
export const GO_VERSION = '1.26';
