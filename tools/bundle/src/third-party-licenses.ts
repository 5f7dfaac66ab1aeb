import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const TEXT = /^(licen[cs]e|notice|copying|copyright|unlicense)/i;
/** Licenses that ask for no text to be passed on. */
const WITHOUT_TEXT = new Set(['Unlicense']);

/**
 * What the licenses of bundled packages ask to be passed on: each package with its texts, in the order of
 * their names. Throws if a package has none: then somebody has to look what it asks for.
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
    throw new Error(`${manifest['name']} has no text of its license (${manifest['license']})`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const title = `${manifest['name']} ${manifest['version']} (${manifest['license']})`;
  return `${[title, '='.repeat(title.length), ...texts.map((text) => text.trim())].join('\n\n')}\n`;
}
