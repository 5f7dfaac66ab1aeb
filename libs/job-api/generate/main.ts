/**
 * Writes what is made from the schemas: the API reference and the charts' CRD files. With `--check` writes nothing and
 * exits 1 when a file is not what would be written.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { crdDocument, FRAMEWORKS, type KindDefinition } from '../src/index.ts';
import { referencePage } from './reference-page.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Every generated file, by its path in the repository. */
async function generatedFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [framework, definitions] of Object.entries<readonly KindDefinition[]>(FRAMEWORKS)) {
    for (const definition of definitions) {
      const { group, plural } = definition.resource;
      files.set(`charts/${framework}/crds/${group}_${plural}.yaml`, `${YAML_NOTE}${await crdDocument(definition)}`);
      files.set(`docs/api/${definition.singular}.md`, referencePage(definition));
    }
  }
  return files;
}

const YAML_NOTE = '# Generated from libs/job-api by "npm run generate": change the schema, not this file.\n';

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // A file that is not there yet is stale like any other.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const onlyCheck = process.argv.includes('--check');
for (const [name, content] of await generatedFiles()) {
  const path = join(ROOT, name);
  if ((await contentOf(path)) === content) continue;
  if (onlyCheck) {
    console.error(`${relative(ROOT, path)} is not what the schemas say: run "npm run generate" and commit the result.`);
    process.exitCode = 1;
    continue;
  }
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  console.log(`wrote ${name}`);
}
