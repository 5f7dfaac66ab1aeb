/** How a framework wants its job scaled by metrics. */
export interface Autoscaling {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** In the format of autoscaling/v2, as the user wrote it. Empty: the default of Kubernetes (CPU at 80 %). */
  readonly metrics: readonly object[];
}
