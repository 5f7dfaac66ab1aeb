/** Why a valid job may not run now. */
export interface Hold {
  readonly by: 'user' | 'queue';
  /** The reason of the condition Suspended. */
  readonly reason: string;
  readonly message: string;
  /** When to reconcile again, if no watch reports the change. */
  readonly requeueAfterMs?: number;
}
