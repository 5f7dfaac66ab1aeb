import { readFileSync } from 'node:fs';

import type { ImageDefinition } from '../image-definition.ts';
import { torch } from './torch.ts';

const PACKAGES = '/usr/local/lib/python3.13/dist-packages';

/**
 * Other launchers of PyTorch programs than torchrun: Hugging Face Accelerate and DeepSpeed. For a separate rendezvous also etcd 3.5, whose
 * successors lack the API of torchrun's etcd back-ends, and its client.
 *
 * DeepSpeed compiles its kernels when a program uses one, which needs a compiler that this image lacks.
 */
export const torchLaunchers: ImageDefinition = {
  name: 'torch-launchers',
  version: torch.version,
  parent: torch,
  layer: {
    kind: 'packages',
    packages: ['etcd-server', 'python3-etcd', 'python3-setuptools', 'python3-wheel'],
    exclude: ['*.a'],
    requirements: readFileSync(new URL('torch-launchers-requirements.txt', import.meta.url), 'utf8'),
    fromSource: ['deepspeed'],
    script: `
python3 -m compileall -q -j 0 ${PACKAGES}
etcd --version
python3 - <<'END'
import accelerate, deepspeed
from torch.distributed.elastic.rendezvous import etcd_rendezvous_backend
END
`,
  },
};
