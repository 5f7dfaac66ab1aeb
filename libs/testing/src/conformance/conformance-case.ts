import type { Stage } from './stage.ts';

export interface ConformanceCase {
  /** A sentence about what every framework does. */
  readonly name: string;
  /** False when the operator is not to run from the beginning. */
  readonly starts?: boolean;
  play(stage: Stage): Promise<void>;
}
