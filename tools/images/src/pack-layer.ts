/** Folders to layer blobs (tar, compressed with zstd) and back. The same folder content gives the same digests. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';

import type { StoredLayer } from './layer-store.ts';
import { killedWithParent } from './killed-with-parent.ts';

/** The owners and times of the files in the layer. */
export type Ownership =
  /** As in the folder: for trees created by root. */
  | 'kept'
  /** All root's, at the epoch, independent of the umask: for files of a source tree. */
  | 'normalized';

/** The tar's metadata must not depend on the machine or the time: sorted, no times but mtime, no PID. */
const TAR = [
  'tar',
  '--format=pax',
  '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime,delete=mtime',
  '--sort=name',
  '--numeric-owner',
];
const KEPT = ['--xattrs', '--xattrs-include=security.capability'];
const NORMALIZED = ['--owner=0', '--group=0', '--mtime=@0', '--mode=u=rwX,go=rX'];

/** A low level: on two cores a cold run waits for unpacking, and higher levels save little. */
const ZSTD_LEVEL = 3;

/** Packs all that is in `folder` into the blob `file`. */
export async function packLayer(folder: string, file: string, ownership: Ownership): Promise<StoredLayer> {
  const flags = ownership === 'kept' ? KEPT : NORMALIZED;
  const [program, args] = killedWithParent([...TAR, ...flags, '-C', folder, '-cf', '-', '.']);
  const tar = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const finished = exitOf(tar, `packing ${folder}`);
  const plain = new Meter();
  const packed = new Meter();
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
  await Promise.all([pipeline(tar.stdout, plain, zstd, packed, createWriteStream(file)), finished]);
  return { digest: packed.digest, size: packed.bytes, diffId: plain.digest, unpackedSize: plain.bytes };
}

/** Extracts the layer in the blob `file` over `folder`, deletions included. Needs root to keep owners. */
export async function unpackLayer(file: string, folder: string): Promise<void> {
  const [program, args] = killedWithParent(['tar', '--xattrs', '--numeric-owner', '-C', folder, '-xpf', '-']);
  const tar = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  const finished = exitOf(tar, `unpacking ${file}`);
  const fed = pipeline(createReadStream(file), createZstdDecompress(), tar.stdin).catch((error: unknown) => {
    if (!isEarlyClose(error)) throw error;
  });
  await Promise.all([fed, finished]);
  await applyWhiteouts(folder);
}

/** tar stops reading at the end of the archive, and may exit before the padding behind it is written. */
function isEarlyClose(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(String(error.code))
  );
}

/** The prefix of a marker for a deleted file of the parent (OCI image specification, "Whiteouts"). */
export const WHITEOUT_PREFIX = '.wh.';

async function applyWhiteouts(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const mark of names.filter((name) => name.startsWith(WHITEOUT_PREFIX))) {
    await rm(join(folder, mark.slice(WHITEOUT_PREFIX.length)), { recursive: true, force: true });
    await rm(join(folder, mark));
  }
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await applyWhiteouts(join(folder, entry.name));
  }
}

async function exitOf(child: ReturnType<typeof spawn>, what: string): Promise<void> {
  const errorOutput: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errorOutput.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(`${what} failed: ${Buffer.concat(errorOutput).toString().trim() || `exit code ${code}`}`);
}

/** Passes bytes on while counting and hashing them. */
class Meter extends Transform {
  readonly #hash = createHash('sha256');
  #digest: string | undefined;
  bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    this.push(chunk);
    callback();
  }

  /** Of all bytes; read it after the end of the stream. */
  get digest(): string {
    this.#digest ??= `sha256:${this.#hash.digest('hex')}`;
    return this.#digest;
  }
}
