/** Flags of this operator only, with the names in Kubeflow's training operator. */
import { DEFAULT_INIT_CONTAINER } from '@muster/adapter-pytorch';
import type { FlagSet } from '@muster/operator-host/flags';
import { text, wholeNumber } from '@muster/operator-host/flags';

export const PYTORCH_FLAGS = {
  initContainerImage: {
    name: 'pytorch-init-container-image',
    kind: text('<image>', 'an image'),
    about:
      "Image of the init container that delays workers until the master's name resolves. Needs a shell, and nslookup or getent. Default: the worker's own image.",
  },
  initContainerMaxTries: {
    name: 'pytorch-init-container-max-tries',
    kind: wholeNumber(1, 100_000),
    default: String(DEFAULT_INIT_CONTAINER.maxTries),
    about: 'Lookups of the master, two seconds apart, before the init container fails.',
  },
  initContainerTemplateFile: {
    name: 'pytorch-init-container-template-file',
    kind: text('<file>', 'a file'),
    about:
      'File with a YAML list of containers that replace the built-in init container. {{.MasterAddr}}, {{.InitContainerImage}} and {{.MaxTries}} are replaced.',
  },
} as const satisfies FlagSet;
