/** Ray's node labels have to be valid in Kubernetes, because the pods get them, too. */
import type { Problem } from '@muster/common-job-controller';
import type { RayClusterSpec } from '@muster/job-api';

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_PREFIX = 253;

/** @param path of the spec */
export function nodeLabelProblems({ headGroupSpec, workerGroupSpecs = [] }: RayClusterSpec, path: string): Problem[] {
  const groups = [
    { labels: headGroupSpec.labels, at: `${path}.headGroupSpec.labels` },
    ...workerGroupSpecs.map(({ labels }, index) => ({ labels, at: `${path}.workerGroupSpecs[${index}].labels` })),
  ];
  return groups.flatMap(({ labels = {}, at }) =>
    Object.entries(labels).flatMap(([key, value]) => {
      const place = `${at}[${key}]`;
      const wrongKey = { path: place, message: 'Invalid value: the key must be a valid label key' };
      const wrongValue = {
        path: place,
        message: `Invalid value: ${JSON.stringify(value)}: must be a valid label value`,
      };
      return [...(isKey(key) ? [] : [wrongKey]), ...(value === '' || NAME.test(value) ? [] : [wrongValue])];
    }),
  );
}

function isKey(key: string): boolean {
  const slash = key.lastIndexOf('/');
  const prefix = key.slice(0, Math.max(slash, 0));
  const hasGoodPrefix = slash < 0 || (prefix.length <= LONGEST_PREFIX && PREFIX.test(prefix));
  return hasGoodPrefix && NAME.test(key.slice(slash + 1));
}
