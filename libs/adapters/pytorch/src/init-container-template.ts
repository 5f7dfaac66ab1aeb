/**
 * Init containers of an administrator that replace the built-in one. As upstream, placeholders are replaced before the
 * text is parsed as YAML, so they need no quotes. The template is parsed once at start: an error is the administrator's
 * and must not appear in each job.
 */
import { CONTAINER, problemsOf } from '@muster/job-api';
import {
  ANY_IMAGE,
  ANY_MASTER,
  templateOf,
  type InitContainerSettings,
  type InitContainerTemplate,
} from './init-container.ts';

/** One line, with the line number in the template. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Throws `TemplateError` unless `text` is a list of containers for every job. */
export async function initContainerTemplate(
  text: string,
  { image, maxTries }: Pick<InitContainerSettings, 'image' | 'maxTries'>,
): Promise<InitContainerTemplate> {
  const values = { MasterAddr: ANY_MASTER, InitContainerImage: image ?? ANY_IMAGE, MaxTries: String(maxTries) };
  return templateOf(await parsed(filledIn(text, values)));
}

/** `text` with the values of its placeholders, on the same lines. */
function filledIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(.*?)\}\}/g, (placeholder, inner: string, at: number) => {
    const found = Object.entries(values).find(([name]) => inner.trim() === `.${name}`)?.[1];
    if (found !== undefined) return found;
    const known = Object.keys(values).map((name) => `{{.${name}}}`);
    const names = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
    throw new TemplateError(text.slice(0, at).split('\n').length, `${placeholder} is unknown: use ${names}`);
  });
}

async function parsed(text: string): Promise<object[]> {
  // Imported here, because most operators never need a YAML parser.
  const { parseYaml, withoutBigInts, YamlError } = await import('@muster/kubernetes-yaml');
  try {
    const { value, itemLines, warnings } = parseYaml(text);
    const [warning] = warnings;
    if (warning !== undefined) throw new TemplateError(warning.line, warning.problem);
    if (!Array.isArray(value) || value.length === 0)
      throw new TemplateError(firstLine(text), 'expected a YAML list of containers, each with a name and an image');
    return value.map((item, at) => checkedContainer(withoutBigInts(item), itemLines[at] ?? 1));
  } catch (error) {
    throw error instanceof YamlError ? new TemplateError(error.line, error.problem) : error;
  }
}

function firstLine(text: string): number {
  return text.split('\n').findIndex((line) => /^\s*[^\s#]/.test(line)) + 1 || 1;
}

function checkedContainer(container: unknown, line: number): object {
  if (typeof container !== 'object' || container === null) {
    throw new TemplateError(line, 'expected a container: name, image, …');
  }
  const [problem] = problemsOf(CONTAINER, container);
  if (problem !== undefined) throw new TemplateError(line, `${problem.path}: ${problem.message}`);
  return container;
}
