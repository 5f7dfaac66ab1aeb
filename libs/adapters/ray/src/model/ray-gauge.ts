import type { JobGauge, JobManifest } from '@muster/common-job-controller';
import type { GaugeDeclaration, LabelOf, Sample } from '@muster/metrics';

/** Ties the labels of samples to the gauge's declaration. */
export function rayGauge<Manifest extends JobManifest, const Metric extends GaugeDeclaration>(
  metric: Metric,
  samples: (manifest: Manifest) => readonly Sample<LabelOf<Metric>>[],
): JobGauge<Manifest> {
  return { metric, samples };
}
