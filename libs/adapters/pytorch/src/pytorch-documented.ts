import { DIFFERENCES_OF_EVERY_KIND, documented } from '@muster/shadow';

const PAGE = 'pytorchjob';

export const PYTORCH_DIFFERENCES = [
  documented(PAGE, 'init container that waits for the master', /^Pod of worker: spec\.initContainers\[init-pytorch\]/),
  documented(PAGE, 'elastic jobs', /\.env\[TORCH_DISABLE_SHARE_RDZV_TCP_STORE\]$/, ({ theirs }) => theirs === ''),
  documented(PAGE, '`PET_STANDALONE`', /\.env\[PET_STANDALONE\]/),
  documented(PAGE, 'missing bounds of an elastic job', /\.env\[PET_NNODES\]/),
  documented(PAGE, 'a job without Master and elastic policy', /\.env\[(?:MASTER_ADDR|MASTER_PORT|RANK|WORLD_SIZE)\]$/),
  ...DIFFERENCES_OF_EVERY_KIND,
];
