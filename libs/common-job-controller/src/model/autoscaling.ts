export interface Autoscaling {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** As the user wrote them. Empty: the default of Kubernetes (CPU at 80 %). */
  readonly metrics: readonly object[];
}
