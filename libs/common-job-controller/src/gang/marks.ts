import type { Pod } from '@muster/job-api';

interface Marks {
  readonly schedulerName: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function withMarks(pod: Pod, { schedulerName, labels, annotations }: Marks): Pod {
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(labels && { labels: { ...labels, ...pod.metadata?.labels } }),
      ...(annotations && { annotations: { ...annotations, ...pod.metadata?.annotations } }),
    },
    ...(pod.spec && { spec: { ...pod.spec, schedulerName: pod.spec.schedulerName || schedulerName } }),
  };
}
