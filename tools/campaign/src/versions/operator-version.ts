/** The versions of the operators that take part in a run. */
import { bundle } from '@muster/bundle';
import type { Progress } from '@muster/cluster';
import type { SeededRandom } from '@muster/fault-injection';
import { crdFor, type CustomResourceDefinition, FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import type { FaultName } from '../faults/random-faults.ts';
import { ensureOperators } from './ensure-operators.ts';
import { defaultPrevious } from './previous-commit.ts';

/** One operator in one version. */
export interface OperatorVersion {
  /** For reports: `current`, or `previous (0123abcd)`. */
  readonly label: string;
  /** The bundle. */
  readonly file: string;
  readonly crds: readonly CustomResourceDefinition[];
}

/** The versions of one operator. */
export interface OperatorVersions {
  readonly current: OperatorVersion;
  /** Absent if no fault needs it, if there is none, or if it did not have this operator. */
  readonly previous?: OperatorVersion;
}

export interface VersionSettings {
  readonly seed: number;
  readonly frameworks: readonly FrameworkName[];
  readonly faults: readonly FaultName[];
  /** A commit, branch or tag. Default: {@link defaultPrevious}. */
  readonly previous?: string;
  readonly bundleOf?: (framework: string) => Promise<string>;
}

export interface Versions {
  readonly of: ReadonlyMap<string, OperatorVersions>;
  /** The commit of the previous version, abbreviated. */
  readonly previous?: string;
}

const WITH_PREVIOUS: readonly FaultName[] = ['rolling-upgrade', 'rollback'];

/** Bundles what the run needs. @throws ClusterError if the previous version is given and cannot be made */
export async function versionsOf(settings: VersionSettings, progress: Progress): Promise<Versions> {
  const { bundleOf = async (framework) => (await bundle(framework)).file, frameworks } = settings;
  const isNeeded = settings.faults.some((fault) => WITH_PREVIOUS.includes(fault));
  const commit = isNeeded ? (settings.previous ?? (await defaultPrevious())) : undefined;
  if (isNeeded && commit === undefined) progress.note('the history of this clone has no previous version');
  const before = commit === undefined ? undefined : await ensureOperators(commit, progress);
  const of = new Map<string, OperatorVersions>();
  for (const framework of frameworks) {
    const file = await bundleOf(framework);
    const current = { label: 'current', file, crds: FRAMEWORKS[framework].map((definition) => crdFor(definition)) };
    const own = before?.operators.get(framework);
    of.set(framework, { current, ...(own && { previous: { ...own, label: `previous (${before?.commit})` } }) });
  }
  return { of, ...(before && { previous: before.commit }) };
}

/** The version that an operator has at the start of a run: by the seed, the current or the previous one. */
export function firstVersion({ current, previous }: OperatorVersions, random: SeededRandom): OperatorVersion {
  const isPrevious = random.isOneIn(2);
  return isPrevious && previous !== undefined ? previous : current;
}
