import type { History } from '../history/history.ts';
import type { JobStory } from '../history/job-story.ts';

/** A broken promise, with the facts that prove it. */
export interface Violation {
  /** The name of the invariant. */
  readonly invariant: string;
  /** `<kind> <namespace>/<name>`, or the operator's replica. */
  readonly about: string;
  /** Of the job. */
  readonly uid?: string;
  readonly message: string;
  /** Of the change that violates it. */
  readonly revision?: number;
  /** Replicas and versions of the operators that wrote it, in runs with two versions. */
  readonly writtenBy?: readonly string[];
}

/**
 * What holds in every run. `check` is pure: history in, violations out. Missing information (an answer that never came, a history without
 * the settled state) is never a violation.
 */
export interface Invariant {
  readonly name: string;
  /** For the page: one sentence. */
  readonly statement: string;
  check(history: History, jobs: readonly JobStory[]): Violation[];
}
