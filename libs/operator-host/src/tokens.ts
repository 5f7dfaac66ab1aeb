/**
 * What Nest injects that is not a class of the shell. Injection is always by token: the type of a parameter is gone at
 * run time.
 */

/** `string`: the framework as on the command line, `pytorch-elastic`. */
export const FRAMEWORK = Symbol('Framework');
/** `OperatorConfig`: the settings of this process, those of its framework included. */
export const OPERATOR_CONFIG = Symbol('OperatorConfig');
/** `Logger` of @muster/kube: the one of the process. */
export const LOGGER = Symbol('Logger');
/** `Registry` of prom-client: the one of the process. */
export const REGISTRY = Symbol('Registry');
/** `ClusterAccess`: the API server and how to log in there. */
export const CLUSTER_ACCESS = Symbol('ClusterAccess');
/** `ClusterClient`, for everything but the Lease. */
export const KUBE_CLIENT = Symbol('KubeClient');
/** `ClusterClient` for the Lease alone, so that its renewals never queue behind a job's writes. */
export const LEASE_CLIENT = Symbol('LeaseClient');
/** `() => void`: ends the process, which must not act any more. Whoever calls it has logged why. */
export const ON_LEADERSHIP_LOST = Symbol('OnLeadershipLost');
/** `readonly FrameworkAdapter[]`: one for each kind that this operator runs. */
export const FRAMEWORK_ADAPTERS = Symbol('FrameworkAdapters');
/** `JobOperator`: the controller of the framework's jobs. */
export const JOB_OPERATOR = Symbol('JobOperator');
