/** The framework of dashboards and alerts. */
export interface Subject {
  /** Name of the chart, and the label `framework` of `muster_build_info`. */
  readonly framework: string;
  /** The label `framework` of metrics of jobs, as in Kubeflow. */
  readonly jobsFramework: string;
  /** For people: `PyTorch`. */
  readonly title: string;
  /** Values of the label `kind`. */
  readonly kinds: readonly string[];
  readonly isElastic: boolean;
  /** Whether programs of jobs can report progress. */
  readonly tellsProgress: boolean;
}
