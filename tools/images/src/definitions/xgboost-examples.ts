import { fileURLToPath } from 'node:url';

import type { ImageDefinition } from '../image-definition.ts';
import { xgboost } from './xgboost.ts';

const program = (name: string) => fileURLToPath(new URL(`../../../../examples/xgboost/${name}`, import.meta.url));

/** The training programs of `examples/xgboost` on top of XGBoost and LightGBM: editing them rebuilds a few kilobytes. */
export const xgboostExamples: ImageDefinition = {
  name: 'xgboost-examples',
  version: xgboost.version,
  parent: xgboost,
  layer: {
    kind: 'files',
    files: {
      '/opt/muster/examples/train.py': program('train.py'),
      '/opt/muster/examples/lightgbm_train.py': program('lightgbm_train.py'),
    },
  },
  defaults: { workingDir: '/opt/muster/examples' },
};
