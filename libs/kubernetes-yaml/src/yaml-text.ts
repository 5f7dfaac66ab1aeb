/** Objects as YAML that kubectl reads as the same objects. */
import { Document, visit, type Scalar } from 'yaml';
import { resolvePlain } from './scalar.ts';

export function yamlText(object: unknown): string {
  const document = new Document(object, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_key, node: Scalar) => {
      if (typeof node.value === 'string' && needsQuotes(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  // Unescaped ones occur only in strings in double quotes.
  return document.toString({ lineWidth: 0 }).replaceAll(UNREADABLE, escaped);
}

/**
 * Characters that kubectl rejects or reads as line breaks, control characters of terminals, and characters that
 * reorder a text.
 */
const UNREADABLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/gu;

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/**
 * Whether kubectl would read the text differently without quotes. It rejects some tabs, such as one at the start of a
 * line, and reads the first spaces of blank text in a block as indentation.
 */
function needsQuotes(text: string): boolean {
  if (text.search(UNREADABLE) >= 0) return true;
  return text === '<<' || typeof resolvePlain(text) !== 'string' || text.includes('\t') || text.trim() === '';
}
