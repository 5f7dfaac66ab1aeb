import type { FrameworkAdapter, Problem } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { startOrderProblems } from '../gang/start-order.ts';

export function manifestProblems(adapter: FrameworkAdapter, manifest: JobManifest): readonly Problem[] {
  const ofKind = adapter.problems(manifest);
  return ofKind.length > 0 ? ofKind : startOrderProblems(adapter, manifest);
}
