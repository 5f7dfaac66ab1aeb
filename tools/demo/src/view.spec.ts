import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { JobRow } from './job-table.ts';
import { createView, type Terminal } from './view.ts';

const row: JobRow = { name: 'job', state: 'Running', ready: '2/2', restarts: 0, now: 'training' };
const at = (epoch: number): JobRow => ({ ...row, epoch: { epoch, total: 40, loss: 0.5, workers: 2 } });

function viewOn(terminal: { isTTY?: boolean; columns?: number }) {
  const stream: Terminal = Object.assign(new PassThrough({ encoding: 'utf8' }), terminal);
  const written = () => (stream as PassThrough).read() as string | null;
  const interrupt = new AbortController();
  return { view: createView(stream, interrupt.signal), written, interrupt };
}

describe('createView', () => {
  it('writes a line to a log only after a change, without control characters', () => {
    const { view, written } = viewOn({});
    view.show([{ ...row, state: '', ready: '' }]);
    view.show([row]);
    view.show([row]);
    view.show([{ ...row, now: 'scaling to 3' }]);
    view.show([at(1)]);
    view.show([at(9)]);
    view.show([at(10)]);
    view.print('job', 'something happened');
    view.end();
    expect(written()).toBe(
      [
        '0:00  job  Running, 2/2 ready, 0 restarts',
        '0:00  job  Running, 2/2 ready, 0 restarts, epoch 10/40, loss 0.5',
        '0:00  job  something happened',
        '',
      ].join('\n'),
    );
  });

  it('redraws the table on a terminal, with permanent lines above it', () => {
    const { view, written } = viewOn({ isTTY: true, columns: 80 });
    view.show([row]);
    const first = written() ?? '';
    expect(first).not.toContain('\u001b[5F');
    expect(first.split('\n')).toHaveLength(6);
    view.show([row]);
    expect(written()).toBeNull();
    view.print('job', 'something happened');
    const second = written() ?? '';
    expect(second.startsWith('\u001b[5F\u001b[0J')).toBe(true);
    expect(second.indexOf('something happened')).toBeLessThan(second.indexOf('Running'));
    view.end();
  });

  it('stops drawing on a terminal after an interruption', () => {
    const { view, written, interrupt } = viewOn({ isTTY: true, columns: 80 });
    view.show([row]);
    written();
    interrupt.abort();
    view.show([at(1)]);
    view.end();
    expect(written()).toBeNull();
  });
});
