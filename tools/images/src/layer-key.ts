import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';

import type { LayerDefinition } from './image-definition.ts';

/** Increase this when a change of the build changes the content of layers. */
const BUILDER_REVISION = 1;

/**
 * The name of a layer in the cache: the same for the same definition, files, parent and processor, different otherwise. The packages that a
 * Debian mirror serves are not part of it: a cached layer keeps those of the day it was built. With `updatesOf`, a layer of packages has a
 * separate name for each day.
 */
export async function layerKey(
  layer: LayerDefinition,
  parentKey: string | undefined,
  updatesOf?: string,
): Promise<string> {
  const recipe = layer.kind === 'files' ? { kind: layer.kind, files: await describeFiles(layer.files) } : layer;
  const day = updatesOf === undefined || layer.kind === 'files' ? [] : [{ updatesOf }];
  return sha256(JSON.stringify([BUILDER_REVISION, arch(), parentKey ?? null, recipe, ...day]));
}

/** Every file of the layer with the properties that matter, in an order that does not depend on the machine. */
async function describeFiles(files: Readonly<Record<string, string>>): Promise<string[]> {
  const descriptions: string[] = [];
  for (const [target, source] of Object.entries(files)) descriptions.push(...(await describeTree(target, source)));
  return descriptions.sort();
}

async function describeTree(target: string, source: string): Promise<string[]> {
  const stats = await lstat(source).catch((error: unknown) => {
    throw new Error(`the image needs ${source}, which is missing or unreadable: build or install it first`, {
      cause: error,
    });
  });
  if (stats.isSymbolicLink()) return [`link ${target} ${await readlink(source)}`];
  if (stats.isFile()) return [`file ${target} ${isExecutable(stats.mode) ? 'x' : '-'} ${await contentHash(source)}`];
  const entries = await readdir(source);
  const inside = await Promise.all(entries.map((entry) => describeTree(`${target}/${entry}`, join(source, entry))));
  return [`folder ${target}`, ...inside.flat()];
}

function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

async function contentHash(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
