import type { Concern, Kinds } from './concern.ts';
import type { Stage } from './stage.ts';

export interface ConformanceCase {
  /** A sentence about what every framework does. */
  readonly name: string;
  /** Which part of an adapter could make it fail. */
  readonly concern: Concern;
  /** What it says, too, of kinds for which its concern does not count. */
  readonly also?: readonly Kinds[];
  /** False when the operator is not to run from the beginning. */
  readonly starts?: boolean;
  play(stage: Stage): Promise<void>;
}
