/**
 * The file with which an administrator replaces the built-in init container. As upstream, its placeholders are filled in
 * before it is read as YAML, so that they need no quotes. It is read once, at start: what is wrong with it is the
 * administrator's to correct, and must not come out as the fault of each job.
 */
import { readFile } from 'node:fs/promises';
import type { InitContainerTemplate } from '@muster/adapter-pytorch';
import { CONTAINER, problemsOf, type Container } from '@muster/job-api';
import { ConfigError } from '@muster/operator-host';
import { PYTORCH_FLAGS } from './flags.ts';

export interface TemplateFile {
  readonly file: string;
  readonly image: string;
  readonly maxTries: number;
}

/** Stands in the parsed file for what differs from job to job. Like each job's, it is a DNS label, so YAML reads it alike. */
const ANY_MASTER = 'master-of-any-job';

/** Throws `ConfigError`, with flag, file and line, unless each job gets a list of containers from the file. */
export async function readInitContainerTemplate({
  file,
  image,
  maxTries,
}: TemplateFile): Promise<InitContainerTemplate> {
  const flag = `--${PYTORCH_FLAGS.initContainerTemplateFile.name} ${file}`;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${flag}: cannot be read: ${String(error instanceof Error ? error.message : error)}`);
  });
  const refuse = (line: number, message: string): never => {
    throw new ConfigError(`${flag}:${line}: ${message}`);
  };
  const values = { MasterAddr: ANY_MASTER, InitContainerImage: image, MaxTries: String(maxTries) };
  const containers = JSON.stringify(await parsed(filledIn(text, values, refuse), refuse));
  return (masterAddr) => JSON.parse(containers.replaceAll(ANY_MASTER, masterAddr)) as Container[];
}

type Refuse = (line: number, message: string) => never;

/** `text` with the values of its placeholders; their lines stay where they are. */
function filledIn(text: string, values: Readonly<Record<string, string>>, refuse: Refuse): string {
  return text.replace(/\{\{(.*?)\}\}/g, (placeholder, inner: string, at: number) => {
    const found = Object.entries(values).find(([name]) => inner.trim() === `.${name}`)?.[1];
    if (found !== undefined) return found;
    const known = Object.keys(values).map((name) => `{{.${name}}}`);
    const names = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
    return refuse(text.slice(0, at).split('\n').length, `${placeholder} is not known: use ${names}`);
  });
}

async function parsed(text: string, refuse: Refuse): Promise<unknown[]> {
  // Here, and not above: most operators never need a YAML parser.
  const { LineCounter, isNode, isSeq, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const lineOf = (node: unknown) => (isNode(node) && node.range ? lineCounter.linePos(node.range[0]).line : 1);
  const [error] = document.errors;
  if (error !== undefined) refuse(error.linePos?.[0].line ?? 1, error.message.split('\n')[0] ?? '');
  const { contents } = document;
  if (!isSeq(contents) || contents.items.length === 0) {
    return refuse(lineOf(contents), 'expected a YAML list of containers, each with a name and an image');
  }
  return contents.items.map((item) => {
    const container = isNode(item) ? (item.toJS(document) as unknown) : item;
    const line = lineOf(item);
    if (typeof container !== 'object' || container === null)
      return refuse(line, 'expected a container: name, image, …');
    const [problem] = problemsOf(CONTAINER, container);
    return problem === undefined ? container : refuse(line, `${problem.path}: ${problem.message}`);
  });
}
