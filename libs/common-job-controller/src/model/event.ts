export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. Past tense if it names something that happened. */
  readonly reason: string;
  readonly note: string;
  readonly action: string;
  /** Set for an event that is emitted only once: its subject, for example a pod's UID. */
  readonly dedupKey?: string;
}
