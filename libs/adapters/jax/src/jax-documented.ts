import { DIFFERENCES_OF_EVERY_KIND, documented } from '@muster/shadow';

const PAGE = 'jaxjob';

export const JAX_DIFFERENCES = [
  documented(
    PAGE,
    '`JAX_COORDINATOR_ADDRESS`, which JAX reads; `JAX_NUM_PROCESSES`, `JAX_PROCESS_ID`',
    /\.env\[JAX_(?:COORDINATOR_ADDRESS|NUM_PROCESSES|PROCESS_ID)\]$/,
    ({ theirs }) => theirs === '',
  ),
  ...DIFFERENCES_OF_EVERY_KIND,
];
