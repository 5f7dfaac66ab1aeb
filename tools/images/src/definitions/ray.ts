import { readFileSync } from 'node:fs';

import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

const PACKAGES = '/usr/local/lib/python3.13/dist-packages';

/**
 * Ray 2.60 as `ray[default,serve]` (dashboard, job submission, autoscaler, Serve), with numpy, in Debian's Python. Runs as an unprivileged user, like
 * Ray's own images.
 *
 * Left out: the libraries for Java programs and RLlib, which tests and examples do not use.
 */
export const ray: ImageDefinition = {
  name: 'ray',
  version: '2.60',
  parent: base,
  layer: {
    kind: 'packages',
    packages: ['python3'],
    exclude: ['*.a'],
    requirements: readFileSync(new URL('ray-requirements.txt', import.meta.url), 'utf8'),
    script: `
rm -rf ${PACKAGES}/ray/jars ${PACKAGES}/ray/rllib ${PACKAGES}/numpy/_core/include
find ${PACKAGES} -type d -name tests -prune -exec rm -rf {} +
find ${PACKAGES}/ray/dashboard/client -name '*.map' -delete
python3 -m compileall -q -j 0 ${PACKAGES}
ln -sf python3 /usr/bin/python
useradd --create-home --uid 1000 --shell /bin/bash --password '*' ray
ray --version
python3 - <<'END'
import aiohttp, numpy, ray, ray.serve
from ray.autoscaler._private.kuberay import run_autoscaler
from ray.dashboard import head
assert (numpy.ones((2, 2)) @ numpy.ones(2)).sum() == 4
END
`,
  },
  defaults: {
    env: {
      PYTHONUNBUFFERED: '1',
      HOME: '/home/ray',
      RAY_USAGE_STATS_ENABLED: '0',
      // On busy cores a head takes longer to start than Ray waits by default (60 s for its dashboard, 20 s for Redis).
      RAY_DASHBOARD_STARTUP_TIMEOUT_S: '300',
      RAY_NUM_REDIS_GET_RETRIES: '100',
    },
    workingDir: '/home/ray',
    user: '1000:1000',
  },
};
