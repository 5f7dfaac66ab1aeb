import { readFileSync } from 'node:fs';

import type { ImageDefinition } from '../image-definition.ts';
import { bookworm } from './bookworm.ts';

const PACKAGES = '/usr/local/lib/python3.11/dist-packages';

/**
 * MXNet 1.9.1, its last release, with the distributed key-value store.
 *
 * It uses names that numpy 1.24 removed, and older numpy has no wheel for a Python later than 3.11: hence Debian 12.
 */
export const mxnet: ImageDefinition = {
  name: 'mxnet',
  version: '1.9.1',
  parent: bookworm,
  layer: {
    kind: 'packages',
    packages: ['python3', 'python3-distutils', 'libgomp1', 'libquadmath0'],
    exclude: ['*.a'],
    requirements: readFileSync(new URL('mxnet-requirements.txt', import.meta.url), 'utf8'),
    script: `
rm -rf ${PACKAGES}/mxnet/include
find ${PACKAGES} -type d -name tests -prune -exec rm -rf {} +
python3 -m compileall -q -j 0 ${PACKAGES}
ln -sf python3 /usr/bin/python
python3 - <<'END'
import mxnet
assert mxnet.runtime.Features().is_enabled('DIST_KVSTORE')
assert mxnet.nd.ones((2, 2)).sum().asscalar() == 4
END
`,
  },
  defaults: { env: { PYTHONUNBUFFERED: '1' }, command: ['python3'] },
};
