/** What the campaign knows of a kind of jobs. */
import { SIMULATE_AFTER_ANNOTATION, SIMULATE_EXIT_CODE_ANNOTATION, SIMULATE_LABEL } from '@muster/cluster';
import type { SeededRandom } from '@muster/fault-injection';
import type { FrameworkName, KubeObject, ObjectMeta, Resource } from '@muster/job-api';

export interface CampaignKind {
  readonly framework: FrameworkName;
  readonly resource: Resource;
  specOf(shape: JobShape): object;
  /** The change of the spec that suspends or resumes a job. Absent for Volcano Jobs: Commands do that. */
  readonly suspension?: (suspend: boolean) => object;
  /** The change of the spec that sets its limit of restarts. */
  readonly limit?: (backoffLimit: number) => object;
  /** Whether `spec.replicas` of the subresource `scale` may change while the job runs. */
  readonly isScalable?: boolean;
  /** Whether it creates jobs without end, until it is suspended. */
  readonly isSchedule?: boolean;
  /** The name of a Service that a job of this name may need. Default: that of its first worker. */
  readonly rivalOf?: (job: string) => string;
  /** Another change of the spec that users make. */
  readonly change?: (random: SeededRandom, shape: JobShape) => object;
}

/** How the pods of a job's deciding roles end. */
export interface Ending {
  /** 0: well; undefined: they run until the job is deleted. */
  readonly exitCode: number | undefined;
  readonly afterMs: number;
}

export interface JobShape {
  readonly pods: number;
  readonly ending: Ending;
  readonly restartPolicy: string;
  readonly runPolicy: RunPolicy;
  /** For choices of one kind. */
  readonly seed: number;
}

export interface RunPolicy {
  readonly suspend?: boolean;
  readonly cleanPodPolicy?: string;
  readonly backoffLimit?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly activeDeadlineSeconds?: number;
  readonly startDeadlineSeconds?: number;
}

export function manifestOf(kind: CampaignKind, metadata: ObjectMeta, shape: JobShape): KubeObject {
  const { group, version, kind: title } = kind.resource;
  const spec = kind.specOf(shape);
  return { apiVersion: `${group}/${version}`, kind: title, metadata, ...{ spec } };
}

/** Labels and annotations that make a simulated pod end. */
export function simulated({ exitCode, afterMs }: Ending): object {
  if (exitCode === undefined) return {};
  return {
    labels: { [SIMULATE_LABEL]: exitCode === 0 ? 'succeed' : 'fail' },
    annotations: { [SIMULATE_AFTER_ANNOTATION]: `${afterMs}ms`, [SIMULATE_EXIT_CODE_ANNOTATION]: String(exitCode) },
  };
}

export function containerOf(name: string) {
  return { name, image: 'registry.example/train:1', command: ['train'] };
}
