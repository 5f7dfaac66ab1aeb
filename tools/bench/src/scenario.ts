/** One kind of measurement: a file under `scenarios/`, and a line in `scenarios.ts`. */
import type { JobKind } from './kinds/job-kind.ts';

export interface BenchContext {
  /** A cluster that may be shared: other operators may run on it. */
  readonly kubeconfig: string;
  /** Created for this run and removed after it. An operator is started for this namespace only, including its Lease. */
  readonly namespace: string;
  /** The cluster's name, if it was started for the run: its programs are on this machine. */
  readonly cluster?: string | undefined;
  readonly framework: string;
  /** From `--kind`; undefined: the framework's kind. */
  readonly kind?: JobKind | undefined;
  /** From `--operator-command`; undefined: Muster's operator of the framework. */
  readonly operatorCommand?: string | undefined;
  /** How often each measurement is repeated. */
  readonly runs: number;
  /** The number of objects created at once, in scenarios with a variable size. */
  readonly size: number;
  /** The duration, in scenarios that have one. */
  readonly minutes: number;
  /** A folder for profiles of the API server and of the operator; undefined: none are taken. */
  readonly profiles?: string | undefined;
  /** Prints progress on standard error. */
  note(line: string): void;
}

export interface Scenario {
  readonly summary: string;
  /** Defaults of the command line. */
  readonly defaults?: {
    readonly framework?: string;
    readonly runs?: number;
    readonly size: number;
    readonly minutes?: number;
  };
  /** Whether it can measure any operator, with jobs of any kind. */
  readonly anyOperator?: boolean;
  /** The number of simulated nodes; default 10. */
  nodes?(size: number): number;
  /** The figures, ready to be printed as JSON, each beside the floor of the same run. */
  run(context: BenchContext): Promise<Record<string, unknown>>;
}
