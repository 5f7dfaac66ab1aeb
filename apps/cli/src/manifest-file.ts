/** Reads the objects of a manifest file, or of standard input, as kubectl reads them. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { KubeObject } from '@muster/job-api';
import {
  parseManifestStream,
  withoutBigInts,
  YamlError,
  type YamlObject,
  type YamlValue,
} from '@muster/kubernetes-yaml';

export interface ManifestOfFile {
  /** Integers that a JavaScript number cannot hold exactly are rounded, as an operator rounds them. */
  readonly object: KubeObject;
  /** The same with bigints for these integers. */
  readonly exact: KubeObject;
  /** Where it is in the file, for messages: `document 2`, `document 1, items[3]`. */
  readonly place: string;
  /** Of a list. */
  readonly isItem: boolean;
}

export interface ManifestFile {
  readonly manifests: readonly ManifestOfFile[];
  /** Duplicate keys, one line each. */
  readonly warnings: readonly string[];
}

/** The objects of all documents, and of lists (`kind: List`) in them. @param file `-` is standard input */
export async function readManifests(file: string): Promise<ManifestFile> {
  const documents = documentsOf(file, file === '-' ? await buffer(process.stdin) : await readFile(file));
  const manifests = documents.flatMap(({ value }, at) => objectsIn(value, `document ${at + 1}`));
  if (manifests.length === 0) throw new Error(`${file} contains no manifest`);
  return {
    manifests,
    warnings: documents.flatMap(({ warnings }) => warnings.map(({ line, problem }) => `line ${line}: ${problem}`)),
  };
}

function documentsOf(file: string, bytes: Uint8Array): ReturnType<typeof parseManifestStream> {
  try {
    return parseManifestStream(bytes);
  } catch (error) {
    if (error instanceof YamlError) throw new Error(`${file} is not YAML: ${error.message}`, { cause: error });
    throw error;
  }
}

function objectsIn(value: YamlValue, place: string, isItem = false): ManifestOfFile[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${place}: expected an object with apiVersion and kind`);
  if (!Array.isArray(value.items))
    return [{ object: withoutBigInts(value) as KubeObject, exact: value, place, isItem }];
  return value.items.flatMap((item, at) => objectsIn(itemOf(value, item), `${place}, items[${at}]`, true));
}

/** Items of a typed list, such as a PyTorchJobList, may omit apiVersion and kind. */
function itemOf({ apiVersion = '', kind }: YamlObject, item: YamlValue): YamlValue {
  const itemKind = typeof kind === 'string' ? kind.replace(/List$/, '') : '';
  if (typeof item !== 'object' || item === null || Array.isArray(item) || item.kind !== undefined) return item;
  return itemKind === '' ? item : { ...item, apiVersion, kind: itemKind };
}
