/** Reads a file, or all files in a folder and its subfolders. Files ending in .gz are decompressed. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface RecordedLine {
  readonly line: string;
  /** `runs.jsonl:12` */
  readonly place: string;
}

export async function* recordedLines(path: string): AsyncGenerator<RecordedLine> {
  for (const file of await filesAt(path)) {
    const bytes = await readFile(file);
    const lines = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n');
    for (const [at, line] of lines.entries()) {
      if (line !== '') yield { line, place: `${basename(file)}:${at + 1}` };
    }
  }
}

async function filesAt(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path, { recursive: true })).filter((name) => /\.jsonl(\.gz)?$/.test(name)).sort();
  if (names.length === 0) throw new Error(`${path} has no file that ends in .jsonl or .jsonl.gz`);
  return names.map((name) => join(path, name));
}
