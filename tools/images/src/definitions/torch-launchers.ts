import { readFileSync } from 'node:fs';

import type { ImageDefinition } from '../image-definition.ts';
import { torch } from './torch.ts';

const PACKAGES = '/usr/local/lib/python3.13/dist-packages';

/**
 * What PyTorch's users start their programs with beside torchrun: Hugging Face Accelerate and DeepSpeed; and for a rendezvous of its
 * own etcd 3.5, whose successors no longer speak the API of torchrun's etcd back-ends, with its client.
 *
 * DeepSpeed compiles its own kernels when a program asks for one, which needs a compiler that is not here.
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
