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
  return document.toString({ lineWidth: 0 });
}

/**
 * Whether kubectl would read the text as something else without quotes. It refuses some tabs, such as one that begins a line, and in a
 * block of white space it takes the first spaces for indentation.
 */
function needsQuotes(text: string): boolean {
  return text === '<<' || typeof resolvePlain(text) !== 'string' || text.includes('\t') || text.trim() === '';
}
