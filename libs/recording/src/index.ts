/** Recording of reconcile runs in files, and their replay. See docs/maintainers/replay.md. */
export { RunRecorder, type RecordSettings } from './run-recorder.ts';
export { HiddenValues } from './hidden-values.ts';
export { hiddenRecord, hiddenRun } from './hidden-run.ts';
export {
  deletionIn,
  plannedRunOf,
  recordIn,
  recordOf,
  resourceKey,
  type RecordedKind,
  type RunRecord,
} from './run-record.ts';
export type { RecordedWrite } from './recorded-plan.ts';
export { fromTaggedJson, taggedJson } from './tagged-json.ts';
export { RunSample } from './run-sample.ts';
export { recordedLines, type RecordedLine } from './record-files.ts';
export { Replay, type Replayed } from './replay.ts';
