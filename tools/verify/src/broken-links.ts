/**
 * What leads nowhere in the project's pages: relative links and anchors of its markdown, and names of pages in `docs`
 * anywhere, in comments and messages of the source as well. Links to other sites are not followed.
 *
 * Anchors are those that GitHub makes of headings. Code in markdown has no links.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

/** Text files that may name a page. */
const FILES = '**/*.{md,ts,mjs,js,json,txt,sh,py,yaml,yml}';
const NOT_OURS = new Set(['node_modules', 'dist', 'reports', '.git', '.nx']);

const PAGE_NAME = /(?<![\w./-])docs\/[\w/.-]+\.md(?:#[\w-]+)?/g;
const LINK =
  /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^ *\[[^\]]+\]: +<?([^\s>]+)>?|<(?:a|img)\s[^>]*(?:href|src)="([^"]+)"/gm;
const OTHER_SITE = /^[a-z][a-z+.-]*:/i;

/** One line for each of them in the folder `root`: where it stands, what it says, what is wrong. */
export function brokenLinks(root: string): string[] {
  const files = globSync(FILES, { cwd: root, exclude: (path) => NOT_OURS.has(basename(path)) }).toSorted();
  const broken = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    // A link counts from its page, the name of a page from the root.
    const links = file.endsWith('.md') ? linksOf(text).map((link) => ({ ...link, folder: dirname(file) })) : [];
    const names = matchesOf(text, PAGE_NAME).map((name) => ({ ...name, folder: '.' }));
    return [...links, ...names].flatMap(({ target, line, folder }) => {
      const [path = '', anchor] = target.split('#');
      const problem = problemOf(root, path === '' ? file : normalize(join(folder, decodeURI(path))), anchor);
      return problem === undefined ? [] : [`${file}:${line}: ${target}: ${problem}`];
    });
  });
  return [...new Set(broken)];
}

/** What is wrong with a reference to `anchor` of the file or folder `path` below `root`; undefined when nothing is. */
function problemOf(root: string, path: string, anchor: string | undefined): string | undefined {
  if (path.startsWith('..')) return 'is outside the project';
  if (!existsSync(join(root, path))) return `there is no ${path}`;
  if (anchor === undefined || !path.endsWith('.md')) return undefined;
  const anchors = anchorsOf(readFileSync(join(root, path), 'utf8'));
  return anchors.has(anchor) ? undefined : `${path} has no heading of that anchor`;
}

interface Reference {
  readonly target: string;
  /** Counted from 1. */
  readonly line: number;
}

function linksOf(markdown: string): Reference[] {
  return matchesOf(withoutCode(markdown), LINK).filter(({ target }) => !OTHER_SITE.test(target));
}

function matchesOf(text: string, pattern: RegExp): Reference[] {
  return [...text.matchAll(pattern)].map((match) => ({
    target: match.slice(1).find((group) => group !== undefined) ?? match[0],
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** The anchors of a page: of its headings, as GitHub makes them, and those that it sets itself. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutFences(markdown).matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const slug = plain
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  for (const [, id = ''] of markdown.matchAll(/<a\s[^>]*(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** `markdown` with its code blanked, line for line. */
function withoutCode(markdown: string): string {
  return withoutFences(markdown).replaceAll(/(`+)(?!`)[^`].*?(?<!`)\1(?!`)/g, '');
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^( *)(```+|~~~+).*\n[\s\S]*?^ *\2.*$/gm, (block) => block.replaceAll(/[^\n]/g, ''));
}
