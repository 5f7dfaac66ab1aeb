import { describe, expect, it } from 'vitest';
import { LogHistory, parseTrainingLog } from './training-log.ts';

const LOG = `worker 0 of 2 joined
epoch 1/40 loss 0.6651 workers 2
[rank0]: RuntimeError: epoch 9/40 loss 0.1 workers 9
resumed from epoch 1
epoch 2/40 loss 0.0427 workers 3
workers agree
done loss 1.7460 -> 0.0035 workers 3
`;

describe('parseTrainingLog', () => {
  it('parses epochs and result, and ignores text within other lines', () => {
    expect(parseTrainingLog(LOG)).toEqual({
      epochs: [
        { epoch: 1, total: 40, loss: 0.6651, workers: 2 },
        { epoch: 2, total: 40, loss: 0.0427, workers: 3 },
      ],
      result: { firstLoss: 1.746, lastLoss: 0.0035, workers: 3 },
    });
  });

  it('ignores incomplete lines', () => {
    expect(parseTrainingLog('epoch 1/40 loss 0.66')).toEqual({ epochs: [] });
  });
});

describe('LogHistory', () => {
  it('grows with the log, and keeps the log of earlier runs of the container', () => {
    const history = new LogHistory();
    history.add('a\n');
    history.add('a\nb\n');
    expect(history.text).toBe('a\nb\n');
    history.add('c\n');
    history.add('c\nd\n');
    expect(history.text).toBe('a\nb\nc\nd\n');
  });

  it('keeps the log of earlier runs if a new container has not written', () => {
    const history = new LogHistory();
    history.add('a\n');
    history.add('');
    history.add('b\n');
    expect(history.text).toBe('a\nb\n');
  });
});
