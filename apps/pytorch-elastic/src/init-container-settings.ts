import type { InitContainerSettings } from '@muster/adapter-pytorch';
import type { OperatorConfig } from '@muster/operator-host';
import type { PYTORCH_FLAGS } from './flags.ts';
import { readInitContainerTemplate } from './init-container-template.ts';

/** The init container set by the flags. Throws `ConfigError` if the file of `--pytorch-init-container-template-file` is invalid. */
export async function initContainerSettings(
  config: OperatorConfig<typeof PYTORCH_FLAGS>,
): Promise<InitContainerSettings> {
  const { initContainerImage: image, initContainerMaxTries: maxTries, initContainerTemplateFile: file } = config;
  if (file === undefined) return { image, maxTries };
  return { image, maxTries, template: await readInitContainerTemplate({ file, image, maxTries }) };
}
