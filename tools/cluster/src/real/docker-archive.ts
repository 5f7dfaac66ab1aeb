/**
 * Packs a few files into a docker-archive image (the format of `docker save` and `ctr images import`) without docker or a registry. For
 * images of one static program: only files, owned by root, without shared layers.
 */
import { createHash } from 'node:crypto';

export interface ArchiveFile {
  /** Path inside the image or archive, without a leading slash. */
  path: string;
  content: Buffer | string;
  mode?: number;
}

export interface ImageContent {
  /** `name:tag`, as in pods. */
  reference: string;
  files: readonly ArchiveFile[];
  entrypoint: readonly string[];
}

/** The bytes of the archive. The same content gives the same bytes, so importing it again changes nothing. */
export function dockerArchive(image: ImageContent): Buffer {
  const layer = tarArchive(image.files);
  const digest = createHash('sha256').update(layer).digest('hex');
  const configuration = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: {
      Entrypoint: image.entrypoint,
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  };
  const manifest = [{ Config: 'config.json', RepoTags: [image.reference], Layers: [`${digest}/layer.tar`] }];
  return tarArchive([
    { path: `${digest}/layer.tar`, content: layer },
    { path: 'config.json', content: JSON.stringify(configuration) },
    { path: 'manifest.json', content: JSON.stringify(manifest) },
  ]);
}

const BLOCK = 512;

/** A POSIX (ustar) archive of regular files; paths may have up to 100 bytes. */
export function tarArchive(files: readonly ArchiveFile[]): Buffer {
  const entries = files.flatMap(({ path, content, mode }) => {
    const bytes = Buffer.from(content);
    return [
      tarHeader(path, bytes.length, mode ?? 0o644),
      bytes,
      Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK),
    ];
  });
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]);
}

function tarHeader(path: string, size: number, mode: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  if (Buffer.byteLength(path) > 100) throw new RangeError(`${path} is too long for a tar header`);
  header.write(path, 0);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
