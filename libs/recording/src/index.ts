/** Recording of reconcile runs in files, and their replay. See docs/maintainers/replay.md. */
export { RunRecorder, type RecordSettings } from './run-recorder.ts';
export { resourceKey, type RecordedKind } from './run-record.ts';
export { RunSample } from './run-sample.ts';
export { recordedLines } from './record-files.ts';
export { Replay, type Replayed } from './replay.ts';
