/** The label `ray.io/serve` of the heads: they get requests while their proxy of Ray Serve is healthy. */
import type { Pod } from '@muster/job-api';
import { RAY_LABELS } from '../model/ray-labels.ts';
import type { ObservedCluster, ObservedService } from './observed-service.ts';
import { healthName } from './service-probes.ts';
import type { EvaluatedService } from './service-status.ts';

interface LabelledPod {
  readonly pod: Pod;
  readonly labels: Readonly<Record<string, string>>;
}

export function headLabels({ observed, step }: EvaluatedService): LabelledPod[] {
  const names = [step.active?.name, step.pending?.name];
  return observed.clusters.filter(({ name }) => names.includes(name)).flatMap((cluster) => labelOf(observed, cluster));
}

/** An unknown health changes nothing: the operator has just started. */
function labelOf({ spec, probeResults }: ObservedService, { head }: ObservedCluster): LabelledPod[] {
  if (head === undefined) return [];
  const labelled = (isServing: boolean) => [{ pod: head.pod, labels: { [RAY_LABELS.serve]: String(isServing) } }];
  if (spec.excludeHeadPodFromServeSvc === true) return labelled(false);
  const result = probeResults.get(healthName(head));
  if (result === undefined) return [];
  return labelled(result.problem === undefined && result.answer?.status === 200);
}
