/** Injection is always by token, because types are erased at run time. */

/** `string`: the framework as on the command line, `pytorch-elastic`. */
export const FRAMEWORK = Symbol('Framework');
export const OPERATOR_CONFIG = Symbol('OperatorConfig');
export const LOGGER = Symbol('Logger');
export const REGISTRY = Symbol('Registry');
export const CLUSTER_ACCESS = Symbol('ClusterAccess');
/** `ClusterClient`, for everything but the Lease. */
export const KUBE_CLIENT = Symbol('KubeClient');
/** `ClusterClient` for the Lease alone, so that its renewals never queue behind a job's writes. */
export const LEASE_CLIENT = Symbol('LeaseClient');
/** `() => void`: ends the process. The caller has logged the reason. */
export const ON_LEADERSHIP_LOST = Symbol('OnLeadershipLost');
export const FRAMEWORK_ADAPTERS = Symbol('FrameworkAdapters');
export const JOB_OPERATOR = Symbol('JobOperator');
