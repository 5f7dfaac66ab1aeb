/** A YAML document as kubectl reads it: `sigs.k8s.io/yaml` over go-yaml v2. */
import { LineCounter, parseAllDocuments, type Document, type ParsedNode } from 'yaml';
import { NodeReader } from './node-reader.ts';
import { YamlError, type YamlWarning } from './yaml-error.ts';
import type { YamlValue } from './yaml-value.ts';

export interface YamlDocument {
  /** Integers that a JavaScript number cannot hold exactly are bigints. */
  readonly value: YamlValue;
  readonly warnings: readonly YamlWarning[];
  /** Line of each item, if the value is a list. */
  readonly itemLines: readonly number[];
}

/** Line breaks of YAML 1.1 that kubectl reads as a newline. */
const NEWLINES = /\r\n?|\x85/g;
/** Control characters, which kubectl rejects, and characters that are not line breaks in YAML 1.2. */
const UNREADABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u2028\u2029\ufffe\uffff]|\p{Surrogate}/u;

/**
 * The first document of `source`. Like kubectl, ignores everything after the line `...`.
 *
 * @param firstLine the number of the line at which the text starts in its file
 * @throws YamlError
 */
export function parseYaml(source: string, firstLine = 1): YamlDocument {
  const text = source.replaceAll(NEWLINES, '\n');
  const counter = new LineCounter();
  const lineAt = (offset: number) => (counter.linePos(offset).line || 1) + firstLine - 1;
  const document = firstDocument(text, counter);
  const unreadable = UNREADABLE.exec(text);
  if (unreadable !== null) {
    const code = unreadable[0].codePointAt(0) ?? 0;
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    throw new YamlError(lineAt(unreadable.index), `the character ${name} is not allowed: write it as "\\u…" in quotes`);
  }
  const [error] = document?.errors ?? [];
  if (error !== undefined) throw new YamlError(lineAt(error.pos[0]), error.message);
  const root = document?.contents ?? null;
  const reader = new NodeReader(root, text, lineAt);
  const value = reader.read(root);
  return { value, warnings: reader.warnings, itemLines: itemLines(root, lineAt) };
}

function firstDocument(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  const documents = parseAllDocuments(text, {
    lineCounter,
    // Scalars stay strings: `scalar.ts` resolves them.
    schema: 'failsafe',
    resolveKnownTags: false,
    merge: false,
    uniqueKeys: false,
    strict: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  return documents[0];
}

function itemLines(root: ParsedNode | null, lineAt: (offset: number) => number): number[] {
  if (root === null || !('items' in root)) return [];
  return root.items.flatMap((item) => ('range' in item ? [lineAt(item.range[0])] : []));
}
