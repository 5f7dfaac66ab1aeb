/** Manifests as users have them: documents of a YAML file, or of standard input. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { KubeObject } from '@muster/job-api';
import { parseAllDocuments } from 'yaml';

/** The documents that hold anything. @param file `-` is standard input */
export async function readManifests(file: string): Promise<KubeObject[]> {
  const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  const manifests = parseAllDocuments(content).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`${file} is not YAML: ${error.message}`);
    return document.toJS() as unknown;
  });
  const objects = manifests.filter((manifest) => typeof manifest === 'object' && manifest !== null);
  if (objects.length === 0) throw new Error(`${file} holds no manifest`);
  return objects;
}
