/** One kind of measurement. A file per scenario under `scenarios/`, and a line in `scenarios.ts`. */
import type { JobKind } from './kinds/job-kind.ts';

export interface BenchContext {
  /** A cluster that may be shared: other operators may run on it. */
  readonly kubeconfig: string;
  /** Made for this run and removed after it. An operator is started for this namespace alone, its Lease included. */
  readonly namespace: string;
  /** The cluster's name, where it was brought up for the run: its programs are on this machine. */
  readonly cluster?: string | undefined;
  readonly framework: string;
  /** Of `--kind`; undefined: that of the framework. */
  readonly kind?: JobKind | undefined;
  /** Of `--operator-command`; undefined: Muster's operator of the framework. */
  readonly operatorCommand?: string | undefined;
  /** How often each measurement is repeated. */
  readonly runs: number;
  /** How many objects are made at once, in scenarios that can be made smaller or larger. */
  readonly size: number;
  /** How long is looked on, in scenarios that look on. */
  readonly minutes: number;
  /** A folder for profiles of the API server and of the operator; undefined: none are taken. */
  readonly profiles?: string | undefined;
  /** For people, on standard error. */
  note(line: string): void;
}

export interface Scenario {
  readonly summary: string;
  /** What holds where the command line says nothing else. */
  readonly defaults?: {
    readonly framework?: string;
    readonly runs?: number;
    readonly size: number;
    readonly minutes?: number;
  };
  /** Whether it can measure any operator, with jobs of any kind. */
  readonly anyOperator?: boolean;
  /** How many simulated nodes it takes; 10 unless told otherwise. */
  nodes?(size: number): number;
  /** The figures, ready to be printed as JSON. Each stands beside the floor that was measured in the same run. */
  run(context: BenchContext): Promise<Record<string, unknown>>;
}
