import { KubeError } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { refusalLines, refusalOf } from './refusal.ts';

describe('what an API server refuses', () => {
  it.each([
    [
      'is one line for each field',
      {
        message: 'x',
        status: {
          message: 'm',
          details: {
            causes: [
              { field: '.spec.a', message: 'must be 1' },
              { field: 'spec.b', reason: 'Required' },
            ],
          },
        },
      },
      ['spec.a: must be 1', 'spec.b: Required'],
    ],
    [
      'names fields that it does not know',
      { message: 'strict decoding error: unknown field "spec.runPolic", duplicate field "spec.x"', status: undefined },
      ['spec.runPolic: unknown field', 'spec.x: duplicate field'],
    ],
    [
      'is told in its own words otherwise',
      { message: 'create: no', status: { message: 'admission webhook says no' } },
      ['admission webhook says no'],
    ],
  ])('%s', (_case, error, lines) => {
    expect(refusalLines(error)).toEqual(lines);
  });

  it('is told from a cluster that does not answer', () => {
    const away = new KubeError('no answer', { code: 0, reason: 'Unreachable' });
    expect(refusalOf('PyTorchJob mnist', away)).toBe(away);
    const denied = new KubeError('create: denied', { code: 403, reason: 'Forbidden' });
    expect(refusalOf('PyTorchJob mnist', denied)).toMatchObject({
      exitCode: 1,
      message: 'PyTorchJob mnist is refused:\n  create: denied',
    });
  });
});
