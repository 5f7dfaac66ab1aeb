import { describe, expect, it } from 'vitest';
import { missing, undeclared } from './exported-metrics.ts';

const help = 'Objects in the cache of a watch; resource is plural.group.';
const described = `# HELP muster_watch_objects ${help}\n# TYPE muster_watch_objects gauge\n`;

describe('undeclared', () => {
  it.each([
    ['a declared metric', `${described}muster_watch_objects{resource="pods"} 3\n`, []],
    ['a metric without series', described, []],
    [
      'an undeclared name',
      '# HELP muster_thing Things.\n# TYPE muster_thing gauge\nmuster_thing 1\n',
      ['muster_thing is not declared'],
    ],
    [
      'another type',
      `# HELP muster_watch_objects ${help}\n# TYPE muster_watch_objects counter\n`,
      ['muster_watch_objects is a counter, declared as a gauge'],
    ],
    [
      'an additional label',
      `${described}muster_watch_objects{resource="pods",pod="a"} 3\n`,
      ['muster_watch_objects has the labels pod,resource, declared with resource'],
    ],
    [
      'a missing label',
      `${described}muster_watch_objects 3\n`,
      ['muster_watch_objects has the labels , declared with resource'],
    ],
    [
      'a value outside the closed set',
      '# HELP muster_watch_restarts_total x\n# TYPE muster_watch_restarts_total counter\nmuster_watch_restarts_total{resource="pods",reason="whim"} 3\n',
      [
        'muster_watch_restarts_total has another description: x',
        'muster_watch_restarts_total has reason="whim", which is not one of its values',
      ],
    ],
  ])('reports %s', (_what, text, problems) => {
    expect(undeclared(text)).toEqual(problems);
  });
});

describe('missing', () => {
  it('names metrics that have no series at the start', () => {
    expect(missing(described, 'pytorch')).toContain('muster_watch_objects');
    expect(missing(`${described}muster_watch_objects{resource="pods"} 0\n`, 'pytorch')).not.toContain(
      'muster_watch_objects',
    );
    expect(missing('', 'pytorch')).toContain('muster_build_info');
    expect(missing('', 'pytorch')).not.toContain('muster_jobs');
  });
});
