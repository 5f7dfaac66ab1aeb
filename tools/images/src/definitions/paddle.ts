import { readFileSync } from 'node:fs';

import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

const PACKAGES = '/usr/local/lib/python3.13/dist-packages';

/** Paddle for CPUs, from PyPI. */
export const paddle: ImageDefinition = {
  name: 'paddle',
  version: '3.3',
  parent: base,
  layer: {
    kind: 'packages',
    packages: ['python3', 'libgomp1'],
    exclude: ['*.a'],
    requirements: readFileSync(new URL('paddle-requirements.txt', import.meta.url), 'utf8'),
    script: `
find ${PACKAGES} -type d -name tests -prune -exec rm -rf {} +
python3 -m compileall -q -j 0 ${PACKAGES}
ln -sf python3 /usr/bin/python
python3 -c 'import paddle'
`,
  },
  defaults: { env: { PYTHONUNBUFFERED: '1' }, command: ['python3'] },
};
