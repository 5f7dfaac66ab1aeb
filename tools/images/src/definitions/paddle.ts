import { readFileSync } from 'node:fs';

import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

const PACKAGES = '/usr/local/lib/python3.13/dist-packages';

/**
 * Paddle for CPUs, from PyPI.
 *
 * Left out: the headers for custom operators. Wheels since 3.1 have no parameter server. `import paddle` needs setuptools,
 * which the wheel does not name.
 */
export const paddle: ImageDefinition = {
  name: 'paddle',
  version: '3.3',
  parent: base,
  layer: {
    kind: 'packages',
    packages: ['python3', 'python3-setuptools', 'libgomp1'],
    exclude: ['*.a'],
    requirements: readFileSync(new URL('paddle-requirements.txt', import.meta.url), 'utf8'),
    script: `
rm -rf ${PACKAGES}/paddle/include
find ${PACKAGES} -type d -name tests -prune -exec rm -rf {} +
python3 -m compileall -q -j 0 ${PACKAGES}
ln -sf python3 /usr/bin/python
python3 - <<'END'
import paddle
assert paddle.distributed.is_available()
assert paddle.ones([2, 2]).sum().item() == 4
END
`,
  },
  defaults: { env: { PYTHONUNBUFFERED: '1' }, command: ['python3'] },
};
