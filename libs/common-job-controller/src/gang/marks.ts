import type { Pod } from '@muster/job-api';

interface Marks {
  readonly schedulerName: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function withMarks(pod: Pod, { schedulerName, labels = {}, annotations = {} }: Marks): Pod {
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...merged('labels', labels, pod.metadata?.labels),
      ...merged('annotations', annotations, pod.metadata?.annotations),
    },
    ...(pod.spec && { spec: { ...pod.spec, schedulerName: pod.spec.schedulerName || schedulerName } }),
  };
}

type Texts = Readonly<Record<string, string>>;

function merged(field: 'labels' | 'annotations', added: Texts, own: Texts | undefined) {
  return Object.keys(added).length > 0 && { [field]: { ...added, ...own } };
}
