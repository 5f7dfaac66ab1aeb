import { readFileSync } from 'node:fs';

import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

const PACKAGES = '/usr/local/lib/python3.13/dist-packages';

/**
 * TensorFlow 2.21 for CPUs, in Debian's Python.
 *
 * Left out: the headers for custom operations, and the names of internal symbols in the library (150 MB of text that
 * only a debugger reads). Byte code stays: without it each pod would compile for half a minute.
 */
export const tensorflow: ImageDefinition = {
  name: 'tensorflow',
  version: '2.21',
  parent: base,
  layer: {
    kind: 'packages',
    packages: ['python3'],
    exclude: ['*.a'],
    requirements: readFileSync(new URL('tensorflow-requirements.txt', import.meta.url), 'utf8'),
    script: `
rm -rf ${PACKAGES}/tensorflow/include
find ${PACKAGES} -type d -name tests -prune -exec rm -rf {} +
apt-get install --yes --no-install-recommends binutils
strip --strip-unneeded ${PACKAGES}/tensorflow/libtensorflow_*.so.2
apt-get purge --yes --auto-remove binutils
python3 -m compileall -q -j 0 ${PACKAGES}
ln -sf python3 /usr/bin/python
HOME=/tmp python3 - <<'END'
import tensorflow as tf
import keras
assert float(tf.function(tf.square)(3.0)) == 9.0
tf.distribute.Server({'worker': ['127.0.0.1:0']}, job_name='worker', task_index=0)
END
`,
  },
  defaults: { env: { PYTHONUNBUFFERED: '1', TF_CPP_MIN_LOG_LEVEL: '1' }, command: ['python3'] },
};
