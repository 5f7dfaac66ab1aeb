import type { Concern, Kinds } from './concern.ts';
import type { Fixture } from './fixture.ts';

export interface ConformanceCase {
  readonly name: string;
  /** The part of an adapter that affects this case. */
  readonly concern: Concern;
  readonly also?: readonly Kinds[];
  /** False: the case starts the operator itself. */
  readonly starts?: boolean;
  /** The case needs at least Kubernetes 1.<sinceMinor>. */
  readonly sinceMinor?: number;
  play(fixture: Fixture): Promise<void>;
}
