/** The supported part of Markdown: headings, paragraphs, code blocks, lists, and inline code, bold text and links. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'bold'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly url: string };

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] };

export function markdown(text: string): Block[] {
  // Every second part is a code block.
  return text.split(/^```.*$/m).flatMap((part, index): Block[] => {
    if (index % 2 === 1) return [{ kind: 'code', text: part.trim() }];
    return part
      .split(/\n\s*\n/)
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .flatMap(blocksOf);
  });
}

const ITEM = /^\s*(?:[-*]|(\d+)\.)\s+(.*)$/;

function blocksOf(part: string): Block[] {
  const [, marks, title = ''] = /^(#{1,6})\s+(.*)$/m.exec(part.split('\n')[0] ?? '') ?? [];
  if (marks !== undefined) {
    const rest = part.split('\n').slice(1).join('\n').trim();
    return [{ kind: 'heading', level: marks.length, content: inline(title) }, ...(rest === '' ? [] : blocksOf(rest))];
  }
  const lines = part.split('\n');
  const firstItem = lines.findIndex((line) => ITEM.test(line));
  if (firstItem < 0) return [{ kind: 'paragraph', content: inline(lines.join(' ')) }];
  const items: string[] = [];
  for (const line of lines.slice(firstItem)) {
    const item = ITEM.exec(line);
    if (item !== null) items.push(item[2] ?? '');
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  const isOrdered = ITEM.exec(lines[firstItem] ?? '')?.[1] !== undefined;
  const before = lines.slice(0, firstItem).join(' ').trim();
  return [
    ...(before === '' ? [] : [{ kind: 'paragraph', content: inline(before) } as const]),
    { kind: 'list', isOrdered, items: items.map(inline) },
  ];
}

function inline(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g)) {
    const [whole, code, bold, label = '', url = ''] = match;
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (bold !== undefined) parts.push({ kind: 'bold', text: bold });
    else parts.push({ kind: 'link', text: label, url });
    end = match.index + whole.length;
  }
  return end < text.length ? [...parts, { kind: 'text', text: text.slice(end) }] : parts;
}
