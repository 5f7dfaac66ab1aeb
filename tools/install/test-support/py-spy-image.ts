/** An image with Python and py-spy, for the runbook of a job that makes no progress. */
import { IMAGES, type ImageDefinition } from '@muster/images';

export const PY_SPY: ImageDefinition = {
  name: 'py-spy',
  version: 'test',
  parent: IMAGES.base,
  layer: {
    kind: 'packages',
    packages: ['python3'],
    exclude: ['*.a'],
    requirements: `py-spy==0.4.3 \\
    --hash=sha256:8a4277225f470d394a85cca0cdd944bef87f0097b6f20150a6dd3ac2e92806b8 \\
    --hash=sha256:bbcec46930d464b3bfc142d6d02ade4dd8ad5627823263b3eff0280e80c7c132
`,
    script: 'py-spy --version',
  },
};
