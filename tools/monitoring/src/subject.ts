/** What the dashboards and alerts of a framework are about. */
export interface Subject {
  /** As its chart is called, and as the label `framework` of the build has it. */
  readonly framework: string;
  /** As the label `framework` of jobs has it, which is Kubeflow's word. */
  readonly jobsFramework: string;
  /** As its users write it. */
  readonly title: string;
  /** Its kinds, as the label `kind` has them. */
  readonly kinds: readonly string[];
  /** Whether there are jobs whose size changes within bounds. */
  readonly isElastic: boolean;
  /** Whether there are jobs whose programs can tell how far they are. */
  readonly tellsProgress: boolean;
}
