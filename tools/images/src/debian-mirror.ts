/**
 * The mirrors from which this machine gets Debian and its updates. Images use the same ones, so that a machine behind a proxy or with its
 * own mirror needs no second setting, and this repository contains no host name.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const SECURITY_VARIABLE = 'MUSTER_DEBIAN_SECURITY_MIRROR';

/** Environment variable with the mirror, for machines whose apt settings name none, such as another distribution. */
const MIRROR_VARIABLE = 'MUSTER_DEBIAN_MIRROR';

/** The URL of the Debian archive: from the environment, otherwise that of the machine's own release in apt's sources. */
export async function debianMirror(env: NodeJS.ProcessEnv = process.env, root = '/'): Promise<string> {
  const found = env[MIRROR_VARIABLE] || (await ownMirror((codename) => codename, root));
  if (found !== undefined) return found;
  throw new Error(
    `apt's sources on this machine name no Debian archive: set ${MIRROR_VARIABLE} to the URL of a Debian mirror`,
  );
}

/** apt's sources for a release of Debian with its updates, as lines of a sources.list. */
export async function updatedSources(
  suite: string,
  env: NodeJS.ProcessEnv = process.env,
  root = '/',
): Promise<string[]> {
  const mirror = await debianMirror(env, root);
  const security = env[SECURITY_VARIABLE] || (await ownMirror((codename) => `${codename}-security`, root));
  if (security === undefined) {
    throw new Error(
      `apt's sources on this machine name no security updates of Debian: set ${SECURITY_VARIABLE} to the URL of a mirror of them`,
    );
  }
  return [
    `deb ${mirror} ${suite} main`,
    `deb ${mirror} ${suite}-updates main`,
    `deb ${security} ${suite}-security main`,
  ];
}

/** The URL from which this machine's apt gets this suite of its own release, if the machine runs Debian. */
async function ownMirror(suiteOf: (codename: string) => string, root: string): Promise<string | undefined> {
  const release = await textOf(join(root, 'etc/os-release'));
  const codename = /^VERSION_CODENAME=(\S+)$/m.exec(release)?.[1];
  if (!/^ID=debian$/m.test(release) || codename === undefined) return undefined;
  const entries = await aptEntries(join(root, 'etc/apt'));
  return entries.find(({ uri, suites }) => suites.includes(suiteOf(codename)) && /^https?:/.test(uri))?.uri;
}

interface AptEntry {
  uri: string;
  suites: string[];
}

async function aptEntries(folder: string): Promise<AptEntry[]> {
  const parts = join(folder, 'sources.list.d');
  const names = await readdir(parts).catch(() => []);
  const lists = [
    join(folder, 'sources.list'),
    ...names.filter((name) => name.endsWith('.list')).map((name) => join(parts, name)),
  ];
  const sources = names.filter((name) => name.endsWith('.sources')).map((name) => join(parts, name));
  const entries: AptEntry[] = [];
  for (const file of lists) entries.push(...parseSourcesList(await textOf(file)));
  for (const file of sources) entries.push(...parseDeb822Sources(await textOf(file)));
  return entries;
}

/** The `deb` lines of a one-line-style file, as in sources.list(5). */
export function parseSourcesList(text: string): AptEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, uri, suite] = /^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)/.exec(line) ?? [];
    return uri !== undefined && suite !== undefined ? [{ uri, suites: [suite] }] : [];
  });
}

/** The enabled binary stanzas of a deb822-style file, as in sources.list(5). */
export function parseDeb822Sources(text: string): AptEntry[] {
  const withoutComments = text.replace(/^#.*\n?/gm, '');
  return withoutComments.split(/\n\s*\n/).flatMap((stanza) => {
    const valuesOf = (field: string): string[] =>
      new RegExp(`^${field}:((?:.*)(?:\\n[ \\t].*)*)`, 'im').exec(stanza)?.[1]?.trim().split(/\s+/) ?? [];
    if (!valuesOf('Types').includes('deb') || valuesOf('Enabled')[0]?.toLowerCase() === 'no') return [];
    return valuesOf('URIs').map((uri) => ({ uri, suites: valuesOf('Suites') }));
  });
}

/** The text of a file, or nothing if it does not exist: any of apt's files may be missing. */
async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}
