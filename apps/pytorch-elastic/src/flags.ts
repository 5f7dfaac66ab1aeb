/** The flags that only this operator has, under the names of Kubeflow's training operator. */
import type { FlagSet } from '@muster/operator-host';
import { text, wholeNumber } from '@muster/operator-host';

export const PYTORCH_FLAGS = {
  initContainerImage: {
    name: 'pytorch-init-container-image',
    kind: text('<image>', 'an image'),
    about: "Image of the init container that waits for the master's address to resolve.",
  },
  initContainerMaxTries: {
    name: 'pytorch-init-container-max-tries',
    kind: wholeNumber(1, 100_000),
    about: 'How often it looks, every two seconds, before the pod fails.',
  },
  initContainerTemplateFile: {
    name: 'pytorch-init-container-template-file',
    kind: text('<file>', 'a file'),
    about: 'YAML list of init containers to use instead of the built-in one.',
  },
} as const satisfies FlagSet;
