/** The file with which an administrator replaces the built-in init container, checked as far as a pod needs it. */
import { readFile } from 'node:fs/promises';
import type { InitContainerSettings } from '@muster/adapter-pytorch';
import { ConfigError } from '@muster/operator-host';
import { PYTORCH_FLAGS } from './flags.ts';

type Template = NonNullable<InitContainerSettings['template']>;

/** Throws `ConfigError` if the file is not a YAML list of containers with a name each. */
export async function readInitContainerTemplate(file: string): Promise<Template> {
  const flag = `--${PYTORCH_FLAGS.initContainerTemplateFile.name} ${file}`;
  let content: unknown;
  try {
    const text = await readFile(file, 'utf8');
    // Here, and not above: most operators never need a YAML parser.
    const { parse } = await import('yaml');
    content = parse(text);
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    throw new ConfigError(`${flag}: cannot be read: ${reason}`, { cause: error });
  }
  if (!Array.isArray(content) || content.length === 0 || !content.every(isContainer)) {
    throw new ConfigError(`${flag}: expected a YAML list of containers, each with a name.`);
  }
  return content;
}

function isContainer(value: unknown): value is Template[number] {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
