import { fileURLToPath } from 'node:url';

import { KUBERNETES_VERSION } from '@muster/cluster';

import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

const script = fileURLToPath(new URL('../../kubectl-delivery/deliver.sh', import.meta.url));

/**
 * The init container of launchers that reach their workers by `kubectl exec`: see the script. kubectl is that of the local cluster: built
 * from its Go module, unless this machine has one of the same release.
 */
export const kubectlDelivery: ImageDefinition = {
  name: 'kubectl-delivery',
  version: KUBERNETES_VERSION,
  parent: base,
  layer: {
    kind: 'files',
    files: { '/usr/local/bin/kubectl-delivery': script },
    programs: { '/usr/local/bin/kubectl': 'kubectl' },
  },
  defaults: { entrypoint: ['/usr/local/bin/kubectl-delivery'], command: [], user: '65532:65532' },
};
