import type { JobGauge, JobManifest } from '@muster/common-job-controller';
import type { GaugeDeclaration, LabelOf, Sample } from '@muster/metrics';

/** A gauge of a kind of Ray's, whose samples have the labels that it is declared with. */
export function rayGauge<Manifest extends JobManifest, const Metric extends GaugeDeclaration>(
  metric: Metric,
  samples: (manifest: Manifest) => readonly Sample<LabelOf<Metric>>[],
): JobGauge<Manifest> {
  return { metric, samples };
}
