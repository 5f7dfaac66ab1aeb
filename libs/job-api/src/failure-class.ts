/** What kind of failure ended a pod: a closed set, which the API, metrics and the command line share. */
export const FAILURE_CLASSES = [
  'Program',
  'OutOfMemory',
  'Evicted',
  'Preempted',
  'NodeLost',
  'Image',
  'Refused',
  'Deleted',
  'Cascade',
] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];
