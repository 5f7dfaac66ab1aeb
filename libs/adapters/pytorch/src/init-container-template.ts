/**
 * Init containers that an administrator has written in place of the built-in one. As upstream, placeholders are filled in before
 * the text is read as YAML, so that they need no quotes. It is read once, at start: what is wrong with it is the
 * administrator's to correct, and must not come out as the fault of each job.
 */
import { CONTAINER, problemsOf } from '@muster/job-api';
import {
  ANY_IMAGE,
  ANY_MASTER,
  templateOf,
  type InitContainerSettings,
  type InitContainerTemplate,
} from './init-container.ts';

/** What is wrong, in one line, and in which line of the template. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Throws `TemplateError` unless each job gets a list of containers from `text`. */
export async function initContainerTemplate(
  text: string,
  { image, maxTries }: Pick<InitContainerSettings, 'image' | 'maxTries'>,
): Promise<InitContainerTemplate> {
  const values = { MasterAddr: ANY_MASTER, InitContainerImage: image ?? ANY_IMAGE, MaxTries: String(maxTries) };
  return templateOf(await parsed(filledIn(text, values)));
}

/** `text` with the values of its placeholders; their lines stay where they are. */
function filledIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(.*?)\}\}/g, (placeholder, inner: string, at: number) => {
    const found = Object.entries(values).find(([name]) => inner.trim() === `.${name}`)?.[1];
    if (found !== undefined) return found;
    const known = Object.keys(values).map((name) => `{{.${name}}}`);
    const names = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
    throw new TemplateError(text.slice(0, at).split('\n').length, `${placeholder} is not known: use ${names}`);
  });
}

async function parsed(text: string): Promise<object[]> {
  // Here, and not above: most operators never need a YAML parser.
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

/** The first line with content. */
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
