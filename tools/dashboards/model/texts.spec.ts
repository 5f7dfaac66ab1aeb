import { describe, expect, it } from 'vitest';
import { linkUrl } from './link-url.ts';
import { markdown } from './markdown.ts';

describe('markdown', () => {
  it('has headings, paragraphs, lists and blocks of code', () => {
    expect(
      markdown(
        '## Look\nfirst `kubectl get`,\nthen\n\n- **one**\n- [two](https://a.example)\n\n```sh\na\n\nb\n```\nend',
      ),
    ).toEqual([
      { kind: 'heading', level: 2, content: [{ kind: 'text', text: 'Look' }] },
      {
        kind: 'paragraph',
        content: [
          { kind: 'text', text: 'first ' },
          { kind: 'code', text: 'kubectl get' },
          { kind: 'text', text: ', then' },
        ],
      },
      {
        kind: 'list',
        isOrdered: false,
        items: [[{ kind: 'bold', text: 'one' }], [{ kind: 'link', text: 'two', url: 'https://a.example' }]],
      },
      { kind: 'code', text: 'a\n\nb' },
      { kind: 'paragraph', content: [{ kind: 'text', text: 'end' }] },
    ]);
  });
});

describe('a link', () => {
  const namespace = { variable: { name: 'namespace', type: 'query' }, values: [], chosen: ['a b', 'c'] };
  const context = {
    row: { Job: 'train/1', 'Its name': 'x' },
    text: 'shown',
    variables: [namespace],
    time: { from: 'now-1h', to: 'now' },
  };

  it.each([
    ['/d/job?var-job=${__data.fields.Job}', '/d/job?var-job=train%2F1'],
    ['/d/job?var-job=${__data.fields["Its name"]}', '/d/job?var-job=x'],
    [
      '/d/job?${namespace:queryparam}&var-job=${__value.text}',
      '/d/job?var-namespace=a%20b&var-namespace=c&var-job=shown',
    ],
    ['/d/job?${__url_time_range}', '/d/job?from=now-1h&to=now'],
    ['https://runbooks.example/x', 'https://runbooks.example/x'],
    ['javascript:alert(1)', undefined],
    ['//elsewhere.example', undefined],
  ])('%s', (template, url) => expect(linkUrl(template, context)).toBe(url));
});
