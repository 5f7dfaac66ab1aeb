/** Text in Markdown. */
import { type Inline, markdown } from '../../model/markdown.ts';
import { element } from '../element.ts';
import type { DrawPanel } from '../panel-view.ts';

export const drawText: DrawPanel = (body, { panel, fill }) => {
  const blocks = markdown(fill(panel.options?.content ?? '')).map((block) => {
    switch (block.kind) {
      case 'heading':
        return element('h3', {}, ...block.content.map(inline));
      case 'paragraph':
        return element('p', {}, ...block.content.map(inline));
      case 'code':
        return element('pre', {}, block.text);
      case 'list':
        return element(
          block.isOrdered ? 'ol' : 'ul',
          {},
          ...block.items.map((item) => element('li', {}, ...item.map(inline))),
        );
    }
  });
  body.append(element('div', { class: 'words' }, ...blocks));
};

function inline(part: Inline): Node {
  switch (part.kind) {
    case 'text':
      return document.createTextNode(part.text);
    case 'code':
      return element('code', {}, part.text);
    case 'bold':
      return element('b', {}, part.text);
    case 'link':
      return /^(?:https?:\/\/|\/)/.test(part.url)
        ? element('a', { href: part.url }, part.text)
        : document.createTextNode(part.text);
  }
}
