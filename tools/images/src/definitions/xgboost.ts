import { readFileSync } from 'node:fs';

import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

const PACKAGES = '/usr/local/lib/python3.13/dist-packages';

/** XGBoost and LightGBM for CPUs, from PyPI. */
export const xgboost: ImageDefinition = {
  name: 'xgboost',
  version: '3.2',
  parent: base,
  layer: {
    kind: 'packages',
    packages: ['python3', 'libgomp1'],
    exclude: ['*.a'],
    requirements: readFileSync(new URL('xgboost-requirements.txt', import.meta.url), 'utf8'),
    script: `
find ${PACKAGES} -type d -name tests -prune -exec rm -rf {} +
python3 -m compileall -q -j 0 ${PACKAGES}
ln -sf python3 /usr/bin/python
python3 - <<'END'
import lightgbm
import numpy
import xgboost
from xgboost.tracker import RabitTracker

rows, targets = numpy.eye(8), numpy.arange(8)
assert xgboost.train({}, xgboost.DMatrix(rows, targets), 1).num_boosted_rounds() == 1
assert lightgbm.train({"min_data_in_leaf": 1, "verbosity": -1}, lightgbm.Dataset(rows, targets), 1).num_trees() == 1
END
`,
  },
  defaults: { env: { PYTHONUNBUFFERED: '1' }, command: ['python3'] },
};
