import { ANNOTATIONS } from '@muster/job-api';
import { DIFFERENCES_OF_EVERY_KIND, documented } from '@muster/shadow';

const PAGE = 'tfjob';

export const TF_DIFFERENCES = [
  documented(
    PAGE,
    'annotation `muster.dev/evaluator-in-cluster: "false"`',
    /\.env\[TF_CONFIG\]\.value$/,
    (_difference, { metadata }) => metadata.annotations?.[ANNOTATIONS.evaluatorInCluster] === 'false',
  ),
  documented(
    PAGE,
    'parameter servers at the end',
    /^delete Pod$/,
    ({ theirs }, { runPolicy }) => runPolicy.cleanPodPolicy === undefined && /-ps-\d+$/.test(theirs),
  ),
  ...DIFFERENCES_OF_EVERY_KIND,
];
