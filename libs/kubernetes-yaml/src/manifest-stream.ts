/** The documents of a file of manifests, split as kubectl splits them. */
import { parseYaml } from './parse-yaml.ts';
import { YamlError, type YamlWarning } from './yaml-error.ts';
import { jsonObjects } from './json-objects.ts';
import type { YamlObject, YamlValue } from './yaml-value.ts';

export interface ManifestDocument {
  readonly value: YamlValue;
  readonly warnings: readonly YamlWarning[];
}

/**
 * The documents that are not empty. A text that starts with a brace is read as a series of JSON objects, or else as
 * YAML.
 *
 * @throws YamlError
 */
export function parseManifestStream(bytes: Uint8Array): ManifestDocument[] {
  const text = decoded(bytes).replaceAll('\r\n', '\n');
  const { objects, rest, restLine } = jsonObjects(text);
  const inJson = objects.map((value: YamlObject) => ({ value, warnings: [] }));
  return [...inJson, ...yamlDocuments(rest, restLine)].filter(({ value }) => value !== null);
}

/** UTF-8, or UTF-16 with a byte order mark. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

function yamlDocuments(text: string, firstLine: number): ManifestDocument[] {
  const documents: ManifestDocument[] = [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let start = 0;
  const close = (end: number) => {
    if (end > start) documents.push(parseYaml(lines.slice(start, end).join('\n') + '\n', firstLine + start));
    start = end + 1;
  };
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('---')) continue;
    const after = line.slice(3).trim();
    if (after !== '' && !after.startsWith('#'))
      throw new YamlError(firstLine + at, `only a comment may follow ---, not ${after}`);
    close(at);
  }
  close(lines.length);
  return documents;
}
