/** Objects as YAML that kubectl reads as the same objects. */
import { Document, visit, type Scalar } from 'yaml';
import { resolvePlain } from './scalar.ts';

export function yamlText(object: unknown): string {
  const document = new Document(object, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_key, node: Scalar) => {
      if (typeof node.value === 'string' && isNoString(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** What kubectl would read as something else if it stood there without quotes. */
function isNoString(text: string): boolean {
  return text === '<<' || typeof resolvePlain(text) !== 'string';
}
