import { FRAMEWORKS } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { unsupportedParts } from '../model/unsupported-parts.ts';
import { dashboardFiles } from './dashboard-files.ts';

const dashboards = await dashboardFiles();

describe('the dashboards of the charts', () => {
  it('exist for each framework', () => {
    for (const framework of Object.keys(FRAMEWORKS)) {
      expect(dashboards.filter(({ uid }) => uid.startsWith(`muster-${framework}-`)).length).toBeGreaterThan(0);
    }
  });

  it.each(dashboards.map((dashboard) => [dashboard.uid, dashboard] as const))(
    '%s has only parts that the page supports',
    (_uid, dashboard) => {
      expect(unsupportedParts(dashboard)).toEqual([]);
    },
  );

  it('are checked for parts that the page does not support', () => {
    const panel = {
      type: 'geomap',
      title: 'Map',
      fieldConfig: {
        defaults: { unit: 'furlong', mappings: [{ type: 'dream' }] },
        overrides: [{ matcher: { id: 'byMood' }, properties: [{ id: 'unit', value: 'ell' }] }],
      },
      transformations: [{ id: 'rotate' }],
      options: { legend: { calcs: ['median'] } },
    };
    const list = [
      { name: 'x', type: 'adhoc' },
      { name: 'y', type: 'query', query: 'query_result(up)' },
    ];
    expect(unsupportedParts({ uid: 'a', title: 'A', panels: [panel], templating: { list } })).toEqual([
      'variable x: type adhoc',
      'variable y: a query other than label_values',
      'panel "Map": type geomap',
      'panel "Map": statistic median',
      'panel "Map": transformation rotate',
      'panel "Map": matcher byMood',
      'panel "Map": unit furlong',
      'panel "Map": unit ell',
      'panel "Map": mapping dream',
    ]);
  });
});
