import { describe, expect, it } from 'vitest';
import { lineCount, sumOf } from './metrics-text.ts';

const TEXT = `# HELP nodejs_active_resources Number of active resources.
# TYPE nodejs_active_resources gauge
nodejs_active_resources{type="Timeout"} 4
nodejs_active_resources{type="TCPSocketWrap"} 3

process_cpu_seconds_total 1.5
process_cpu_seconds_total_of_others 9
workqueue_depth{name="a b",controller="mpi",priority="0"} 2
workqueue_depth{name="c",controller="mpi",priority="0"} 1
`;

describe('the reader of metrics', () => {
  it('sums up the series of a name, and of one label', () => {
    expect(sumOf(TEXT, 'nodejs_active_resources')).toBe(7);
    expect(sumOf(TEXT, 'nodejs_active_resources', { type: 'Timeout' })).toBe(4);
    expect(sumOf(TEXT, 'workqueue_depth', { controller: 'mpi' })).toBe(3);
    expect(sumOf(TEXT, 'process_cpu_seconds_total')).toBe(1.5);
    expect(sumOf(TEXT, 'unknown')).toBe(0);
  });

  it('counts series, but no comments and empty lines', () => {
    expect(lineCount(TEXT)).toBe(6);
  });
});
