/** One kind of measurement. A file per scenario under `scenarios/`, and a line in `scenarios.ts`. */
export interface BenchContext {
  /** A cluster on which the scenario is alone, or at least undisturbed. */
  readonly kubeconfig: string;
  readonly framework: string;
  /** How often each measurement is repeated. */
  readonly runs: number;
  /** For people, on standard error. */
  note(line: string): void;
}

export interface Scenario {
  readonly summary: string;
  /** The figures, ready to be printed as JSON. Each stands beside the floor that was measured in the same run. */
  run(context: BenchContext): Promise<Record<string, unknown>>;
}
