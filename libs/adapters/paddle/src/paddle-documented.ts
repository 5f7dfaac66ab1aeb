import { DIFFERENCES_OF_EVERY_KIND, documented } from '@muster/shadow';

const PAGE = 'paddlejob';

export const PADDLE_DIFFERENCES = [
  documented(
    PAGE,
    'label `job-role: master` in a job without a Master',
    /^Pod of worker: metadata\.labels\[training\.kubeflow\.org\/job-role\]$/,
    ({ theirs }) => theirs === '',
  ),
  ...DIFFERENCES_OF_EVERY_KIND,
];
