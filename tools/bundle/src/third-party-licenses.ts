import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const TEXT = /^(licen[cs]e|notice|copying|copyright|unlicense)/i;
/** Licenses that do not require their text to be included. */
const WITHOUT_TEXT = new Set(['Unlicense']);

/**
 * The license texts of the bundled packages, by package name. Throws if a package has no text: then check what its license requires.
 *
 * @param folders of the packages
 */
export async function thirdPartyLicenses(folders: readonly string[]): Promise<string> {
  const sections = await Promise.all(folders.map(section));
  return sections.sort().join('\n');
}

async function section(folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  const files = (await readdir(folder)).filter((file) => TEXT.test(file)).sort();
  if (files.length === 0 && !WITHOUT_TEXT.has(manifest['license'] ?? ''))
    throw new Error(`${manifest['name']} contains no license text (${manifest['license']})`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const title = `${manifest['name']} ${manifest['version']} (${manifest['license']})`;
  return `${[title, '='.repeat(title.length), ...texts.map((text) => text.trim())].join('\n\n')}\n`;
}
