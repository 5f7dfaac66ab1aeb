/** Why a job may not run, though nothing is wrong with it. */
export interface Hold {
  readonly by: 'user' | 'queue';
  /** Of the condition Suspended. */
  readonly reason: string;
  readonly message: string;
  /** When to reconcile again, where no watch reports the change. */
  readonly requeueAfterMs?: number;
}
