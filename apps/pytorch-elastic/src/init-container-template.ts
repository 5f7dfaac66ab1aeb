/** The file with which an administrator replaces the built-in init container. */
import { promises } from 'node:fs';
import { initContainerTemplate, TemplateError, type InitContainerTemplate } from '@muster/adapter-pytorch';
import { ConfigError } from '@muster/operator-host';
import { PYTORCH_FLAGS } from './flags.ts';

export interface TemplateFile {
  readonly file: string;
  readonly image?: string | undefined;
  readonly maxTries: number;
}

/** Throws `ConfigError` with flag, file and line unless the file makes a list of containers for each job. */
export async function readInitContainerTemplate({ file, ...settings }: TemplateFile): Promise<InitContainerTemplate> {
  const flag = `--${PYTORCH_FLAGS.initContainerTemplateFile.name} ${file}`;
  const text = await promises.readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${flag}: cannot be read: ${String(error instanceof Error ? error.message : error)}`);
  });
  return initContainerTemplate(text, settings).catch((error: unknown) => {
    if (!(error instanceof TemplateError)) throw error;
    throw new ConfigError(`${flag}:${error.line}: ${error.message}`, { cause: error });
  });
}
