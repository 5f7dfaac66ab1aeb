export interface Hold {
  readonly by: 'user' | 'queue';
  readonly reason: string;
  readonly message: string;
  /** When to reconcile again, if no watch reports the change. */
  readonly requeueAfterMs?: number;
}
