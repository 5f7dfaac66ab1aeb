/** The jobs of a run and what their users do, from a seed alone. */
import type { SeededRandom } from '@muster/fault-injection';
import { CAMPAIGN_KINDS, type CampaignKind, type JobShape } from './kinds.ts';

export type UserAct =
  | { readonly does: 'suspend' | 'resume' | 'delete' | 'annotate' | 'delete a pod' | 'evict a pod' | 'fail a pod' }
  | { readonly does: 'scale'; readonly replicas: number }
  | { readonly does: 'limit'; readonly backoffLimit: number };

export interface LoadedJob {
  readonly name: string;
  readonly kind: CampaignKind;
  /** The index of its namespace. */
  readonly namespace: number;
  readonly shape: JobShape;
  /** After the start of the run. */
  readonly atMs: number;
  /** In the order of their times. */
  readonly acts: readonly { readonly atMs: number; readonly act: UserAct }[];
}

export interface LoadSettings {
  readonly forMs: number;
  readonly jobs: number;
  readonly namespaces: number;
  /** The largest number of pods of a job. */
  readonly mostPods: number;
  readonly frameworks: readonly string[];
}

export function randomLoad(random: SeededRandom, settings: LoadSettings): LoadedJob[] {
  const kinds = CAMPAIGN_KINDS.filter(({ framework }) => settings.frameworks.includes(framework));
  const [first, ...others] = kinds;
  if (first === undefined) throw new Error(`no kind of job belongs to ${settings.frameworks.join(', ')}`);
  return Array.from({ length: settings.jobs }, (_job, index) => {
    const kind = random.pick([first, ...others]);
    const atMs = Math.round(random.fraction() * settings.forMs * 0.8);
    return {
      ...{ name: `job-${index}`, kind, atMs, namespace: random.whole(0, settings.namespaces - 1) },
      shape: randomShape(random, settings.mostPods),
      acts: randomActs(random, kind, atMs, settings),
    };
  }).toSorted((a, b) => a.atMs - b.atMs);
}

function randomShape(random: SeededRandom, mostPods: number): JobShape {
  // Most jobs are small, and a few have the largest size.
  const pods = Math.max(1, Math.round(mostPods ** random.fraction()));
  const isFailing = random.isOneIn(5);
  const isEndless = !isFailing && random.isOneIn(4);
  const backoffLimit = isFailing || random.isOneIn(3) ? random.whole(0, 2) : undefined;
  return {
    pods,
    ending: {
      exitCode: isEndless ? undefined : isFailing ? random.pick([1, 137, 143]) : 0,
      afterMs: random.whole(200, 15_000),
    },
    restartPolicy: random.pick(['OnFailure', 'OnFailure', 'Never', 'ExitCode', 'Always']),
    runPolicy: {
      ...(random.isOneIn(8) && { suspend: true }),
      ...(random.isOneIn(2) && { cleanPodPolicy: random.pick(['None', 'Running', 'All']) }),
      ...(backoffLimit !== undefined && { backoffLimit }),
      ...(random.isOneIn(6) && { ttlSecondsAfterFinished: random.whole(0, 5) }),
      ...(random.isOneIn(10) && { activeDeadlineSeconds: random.whole(2, 20) }),
    },
  };
}

function randomActs(
  random: SeededRandom,
  kind: CampaignKind,
  fromMs: number,
  { forMs, mostPods }: LoadSettings,
): LoadedJob['acts'] {
  return Array.from({ length: random.whole(0, 4) }, () => {
    const atMs = Math.round(fromMs + random.fraction() * (forMs - fromMs));
    return { atMs, act: randomAct(random, kind, mostPods) };
  }).toSorted((a, b) => a.atMs - b.atMs);
}

function randomAct(random: SeededRandom, { isScalable }: CampaignKind, mostPods: number): UserAct {
  const replicas = random.whole(1, Math.min(mostPods, 12));
  const does = random.pick([
    ...(['suspend', 'resume', 'resume', 'delete', 'annotate', 'delete a pod', 'evict a pod', 'fail a pod'] as const),
    ...(['fail a pod', 'scale', 'limit'] as const),
  ]);
  if (does === 'scale') return isScalable ? { does, replicas } : { does: 'annotate' };
  if (does === 'limit') return { does, backoffLimit: random.whole(0, 5) };
  return { does };
}
