/** What a framework says of a job that is to be scaled by metrics. */
export interface Autoscaling {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** As in autoscaling/v2, and as the user wrote them. Empty means what Kubernetes makes of that: CPU at 80 %. */
  readonly metrics: readonly object[];
}
