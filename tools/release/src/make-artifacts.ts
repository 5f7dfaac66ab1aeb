import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { bundle, packCli } from '@muster/bundle';
import { ensureBinaries, runCommand, type Progress } from '@muster/cluster';
import { buildOperatorArchive, ownPlatform } from '@muster/images';

import { billOfMaterials, type Operator } from './bill-of-materials.ts';
import { signFile, withHelmKeyring, type SigningKey } from './signature.ts';

/** The processors for which images are published. */
const PLATFORMS = ['linux/amd64', 'linux/arm64'] as const;

export interface ReleaseOptions {
  readonly workspace: string;
  readonly version: string;
  /** The prefix of images' names, such as `registry.example.com/muster`. */
  readonly registry: string;
  readonly frameworks: readonly string[];
  /** An image in a registry, for all platforms. Default: images for this machine's processor only. */
  readonly base?: string;
  /** Default: nothing is signed. */
  readonly key?: SigningKey;
  /** Emptied first. */
  readonly folder: string;
  readonly progress: Progress;
}

export interface ImageFile {
  readonly reference: string;
  readonly platform: string;
  /** The version of Node.js in it. */
  readonly nodeVersion: string;
  readonly file: string;
  readonly bytes: number;
}

/** The files of a release. Paths are absolute. */
export interface Artifacts {
  readonly images: readonly ImageFile[];
  readonly charts: readonly string[];
  /** The command line as an npm package; contents of images, as CycloneDX; checksums of all files; signatures. */
  readonly others: readonly string[];
  /** Platforms whose image cannot be built here. */
  readonly missing: readonly string[];
}

/** Builds all parts of a release, and publishes nothing. */
export async function makeArtifacts(options: ReleaseOptions): Promise<Artifacts> {
  const { folder, key } = options;
  await rm(folder, { recursive: true, force: true });
  for (const part of ['images', 'charts', 'contents']) await mkdir(join(folder, part), { recursive: true });
  const platforms = PLATFORMS.filter((platform) => options.base !== undefined || platform === ownPlatform());
  const images: ImageFile[] = [];
  const contents: string[] = [];
  for (const framework of options.frameworks) {
    const { packages } = await bundle(framework);
    const own: ImageFile[] = [];
    for (const platform of platforms) own.push(await imageFile(options, framework, platform));
    images.push(...own);
    const nodeVersions = [...new Set(own.map(({ nodeVersion }) => nodeVersion))];
    contents.push(await contentsFile(options, { framework, version: options.version, packages, nodeVersions }));
  }
  const charts = await packagedCharts(options);
  const cli = await options.progress.step('packing the command line', () => packCli(folder));
  const files = [...images.map(({ file }) => file), ...charts, ...contents, cli.file];
  const checksums = join(folder, 'SHA256SUMS');
  await writeFile(checksums, await checksumsOf(folder, files));
  const signatures = key === undefined ? [] : [await signFile(checksums, key), ...charts.map((file) => `${file}.prov`)];
  const missing = PLATFORMS.filter((platform) => !platforms.includes(platform));
  return { images, charts, others: [cli.file, ...contents, checksums, ...signatures], missing };
}

async function imageFile(options: ReleaseOptions, framework: string, platform: string): Promise<ImageFile> {
  const { workspace, version, registry, base, progress } = options;
  const archive = join(
    options.folder,
    'images',
    `${framework}-operator-${version}-${platform.replace('linux/', '')}.tar`,
  );
  const onBase = base === undefined ? {} : { base, platform };
  const { file, reference, nodeVersion, bytes } = await buildOperatorArchive({
    workspace,
    framework,
    version,
    registry,
    archive,
    progress,
    ...onBase,
  });
  return { file, reference, nodeVersion, bytes, platform };
}

async function contentsFile(options: ReleaseOptions, operator: Operator): Promise<string> {
  const { workspace } = options;
  const { framework, version } = operator;
  const file = join(options.folder, 'contents', `${framework}-operator-${version}.cdx.json`);
  const bill = await billOfMaterials(workspace, operator);
  await writeFile(file, `${JSON.stringify(bill, undefined, 2)}\n`);
  return file;
}

/** The charts of the frameworks, and the umbrella chart. */
async function packagedCharts({
  workspace,
  frameworks,
  version,
  folder,
  key,
  progress,
}: ReleaseOptions): Promise<string[]> {
  const [helm = ''] = await ensureBinaries(['helm'], progress);
  const names = [...frameworks, 'muster'];
  const destination = join(folder, 'charts');
  const packageAll = async (signing: readonly string[]) => {
    for (const name of names) {
      await runCommand(helm, ['package', join(workspace, 'charts', name), '--destination', destination, ...signing]);
    }
  };
  await progress.step('packaging charts', () =>
    key === undefined ? packageAll([]) : withHelmKeyring(key, packageAll),
  );
  return names.map((name) => join(destination, `${name}-${version}.tgz`));
}

/** In the format of `sha256sum --check`, relative to the release's folder. */
async function checksumsOf(folder: string, files: readonly string[]): Promise<string> {
  const lines = await Promise.all(
    files.map(async (file) => {
      const digest = createHash('sha256')
        .update(await readFile(file))
        .digest('hex');
      return `${digest}  ${relative(folder, file)}\n`;
    }),
  );
  return lines.join('');
}
