/** The jobs of a run and what their users do, from a seed alone. */
import type { SeededRandom } from '@muster/fault-injection';
import { CAMPAIGN_KINDS, isSelected } from './all-kinds.ts';
import type { CampaignKind, JobShape } from './kinds.ts';

export type UserAct =
  | { readonly does: 'suspend' | 'resume' | 'delete' | 'annotate' | 'delete a pod' | 'evict a pod' | 'fail a pod' }
  | { readonly does: 'scale'; readonly replicas: number }
  | { readonly does: 'limit'; readonly backoffLimit: number }
  | { readonly does: 'change'; readonly spec: object };

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
  /** Whether a job in twelve has 50 to 500 pods. */
  readonly hasLarge: boolean;
  /** Frameworks, kinds, or `volcano`. */
  readonly kinds: readonly string[];
}

export function randomLoad(random: SeededRandom, settings: LoadSettings): LoadedJob[] {
  const kinds = CAMPAIGN_KINDS.filter((kind) => isSelected(kind, settings.kinds));
  const [first, ...others] = kinds;
  if (first === undefined) throw new Error(`no kind of job belongs to ${settings.kinds.join(', ')}`);
  return Array.from({ length: settings.jobs }, (_job, index) => {
    const kind = random.pick([first, ...others]);
    const atMs = Math.round(random.fraction() * settings.forMs * 0.8);
    const namespace = random.whole(0, settings.namespaces - 1);
    const shape = randomShape(random, settings);
    const acts = randomActs(random, { kind, shape, fromMs: atMs, forMs: settings.forMs });
    return { ...{ name: `job-${index}`, kind, atMs, namespace }, shape, acts };
  }).toSorted((a, b) => a.atMs - b.atMs);
}

function randomShape(random: SeededRandom, { mostPods, hasLarge }: LoadSettings): JobShape {
  // Most jobs are small, and a few have the largest size.
  const small = Math.max(1, Math.round(mostPods ** random.fraction()));
  const pods = hasLarge && random.isOneIn(12) ? random.whole(50, 500) : small;
  const isFailing = random.isOneIn(5);
  const isEndless = !isFailing && random.isOneIn(4);
  const backoffLimit = isFailing || random.isOneIn(3) ? random.whole(0, 2) : undefined;
  return {
    pods,
    seed: random.whole(0, 2 ** 31),
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
      ...(random.isOneIn(10) && { startDeadlineSeconds: random.whole(2, 20) }),
    },
  };
}

interface ActedOn extends Pick<LoadedJob, 'kind' | 'shape'> {
  readonly fromMs: number;
  readonly forMs: number;
}

function randomActs(random: SeededRandom, job: ActedOn): LoadedJob['acts'] {
  return Array.from({ length: random.whole(0, 4) }, () => {
    const atMs = Math.round(job.fromMs + random.fraction() * (job.forMs - job.fromMs));
    return { atMs, act: randomAct(random, job) };
  }).toSorted((a, b) => a.atMs - b.atMs);
}

function randomAct(random: SeededRandom, { kind: { isScalable, change }, shape }: ActedOn): UserAct {
  const replicas = random.whole(1, Math.max(12, shape.pods));
  const does = random.pick([
    ...(['suspend', 'resume', 'resume', 'delete', 'annotate', 'delete a pod', 'evict a pod', 'fail a pod'] as const),
    ...(['fail a pod', 'scale', 'limit', 'change', 'change'] as const),
  ]);
  if (does === 'scale') return isScalable === true ? { does, replicas } : { does: 'annotate' };
  if (does === 'limit') return { does, backoffLimit: random.whole(0, 5) };
  if (does === 'change') return change === undefined ? { does: 'annotate' } : { does, spec: change(random, shape) };
  return { does };
}
