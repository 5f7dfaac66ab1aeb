/** The flags that only this operator has, under the names of Kubeflow's training operator. */
import { DEFAULT_INIT_CONTAINER } from '@muster/adapter-pytorch';
import type { FlagSet } from '@muster/operator-host';
import { text, wholeNumber } from '@muster/operator-host';

export const PYTORCH_FLAGS = {
  initContainerImage: {
    name: 'pytorch-init-container-image',
    kind: text('<image>', 'an image'),
    about:
      "Image of the init container that holds workers back until the master's address resolves, with a shell, and nslookup or getent. Default: the worker's own image.",
  },
  initContainerMaxTries: {
    name: 'pytorch-init-container-max-tries',
    kind: wholeNumber(1, 100_000),
    default: String(DEFAULT_INIT_CONTAINER.maxTries),
    about: 'How often it looks, every two seconds, before it fails.',
  },
  initContainerTemplateFile: {
    name: 'pytorch-init-container-template-file',
    kind: text('<file>', 'a file'),
    about:
      'YAML list of containers to use instead of the built-in one; {{.MasterAddr}}, {{.InitContainerImage}} and {{.MaxTries}} are filled in.',
  },
} as const satisfies FlagSet;
