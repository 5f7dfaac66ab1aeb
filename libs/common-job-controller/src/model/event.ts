/** An event of a job, before it is emitted. */
export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, past tense where it is something that happened. */
  readonly reason: string;
  readonly note: string;
  /** What Muster was doing, in one CamelCase word. */
  readonly action: string;
  /** Set where the event is emitted once only: what it is about, for example a pod's UID. */
  readonly dedupKey?: string;
}
