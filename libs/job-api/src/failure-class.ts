/** Classes of pod failures, shared by the API, metrics and the CLI. */
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
