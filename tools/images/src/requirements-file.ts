/** Requirements files for pip, which name every package with its version and hashes. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Of the Debian release that images are based on. */
export const IMAGE_PYTHON = '3.13';
/** Tags of wheels. Those with a year or the 1 are older names: paddlepaddle still has them. */
const MANYLINUX = ['_2_28', '_2_27', '_2_17', '2014', '_2_5', '1'];

/** The fields of pip's installation report that are read. */
export interface PipReport {
  readonly install: readonly {
    readonly metadata: { readonly name: string; readonly version: string };
    readonly download_info: { readonly url: string; readonly archive_info?: { readonly hashes?: { sha256?: string } } };
  }[];
}

/** Resolves the packages with pip, for the Python of images, and returns the file. Installs nothing. */
export async function resolveRequirements(packages: readonly string[], python = IMAGE_PYTHON): Promise<string> {
  const first = await report(packages, python, 'x86_64');
  // In the same versions. Not every package has wheels for the other machine.
  const pinned = first.install.map(({ metadata: { name, version } }) => `${name}==${version}`);
  const second = await report(pinned, python, 'aarch64').catch(() => undefined);
  return requirementsFile(second === undefined ? [first] : [first, second], packages, python);
}

async function report(packages: readonly string[], python: string, machine: string): Promise<PipReport> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-requirements-'));
  try {
    const file = join(folder, 'report.json');
    const platforms = MANYLINUX.flatMap((tag) => ['--platform', `manylinux${tag}_${machine}`]);
    const target = ['--ignore-installed', '--target', folder, '--only-binary', ':all:', '--python-version', python];
    const dry = ['--dry-run', '--quiet', '--disable-pip-version-check', '--report', file];
    await run('python3', ['-m', 'pip', 'install', ...dry, ...target, ...platforms, ...packages]);
    return JSON.parse(await readFile(file, 'utf8')) as PipReport;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param reports for one machine each */
export function requirementsFile(reports: readonly PipReport[], packages: readonly string[], python: string): string {
  const hashes = new Map<string, Set<string>>();
  for (const {
    metadata,
    download_info: { url, archive_info: archive },
  } of reports.flatMap(({ install }) => install)) {
    const hash = archive?.hashes?.sha256;
    if (hash === undefined) throw new Error(`pip reports no sha256 of ${url}`);
    const pinned = `${metadata.name.toLowerCase().replaceAll(/[-_.]+/g, '-')}==${metadata.version}`;
    hashes.set(pinned, (hashes.get(pinned) ?? new Set<string>()).add(hash));
  }
  const lines = [...hashes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([pinned, each]) => [pinned, ...[...each].map((hash) => `    --hash=sha256:${hash}`)].join(' \\\n'));
  const head =
    `# ${packages.join(', ')} for Python ${python}, with all that they need. How to renew this file:\n` +
    '# docs/administrators/images.md.\n';
  return `${head}${lines.join('\n')}\n`;
}
