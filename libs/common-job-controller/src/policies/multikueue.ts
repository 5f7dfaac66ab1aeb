/** MultiKueue copies spec and status through Kueue's Go types (pkg/controller/jobs of Kueue 0.19), which lack Muster's own fields. */
import { MANAGED_BY_MULTIKUEUE } from '@muster/job-api';
import type { FrameworkAdapter, Problem } from '../contract/adapter.ts';
import { runPolicyOf } from '../contract/read-manifest.ts';
import type { JobManifest } from '../model/training-job.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { World } from '../world/world.ts';
import { newWarnings } from './invalid-spec.ts';

const OWN_FIELDS = [
  'spec.runPolicy.failurePolicy',
  'spec.runPolicy.startOrder',
  'spec.runPolicy.progressDeadlineSeconds',
  'spec.runPolicy.startDeadlineSeconds',
  'spec.runPolicy.lostNodeTimeoutSeconds',
  'spec.elasticPolicy.fitToCapacity',
];

export function lostByMultiKueue(adapter: Pick<FrameworkAdapter, 'lifecycle'>, manifest: JobManifest): Problem[] {
  if (runPolicyOf(adapter, manifest).managedBy !== MANAGED_BY_MULTIKUEUE) return [];
  const message = 'MultiKueue does not copy this field, so the job runs without it in the worker cluster';
  return OWN_FIELDS.filter((path) => fieldAt(manifest, path) !== undefined).map((path) => ({ path, message }));
}

export function planManagedElsewhere(adapter: FrameworkAdapter, world: World): Decision {
  return { ...NO_CHANGE, events: newWarnings('SpecWarning', lostByMultiKueue(adapter, world.manifest), world) };
}

function fieldAt(manifest: JobManifest, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], manifest);
}
