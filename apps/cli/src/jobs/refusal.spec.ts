import { KubeError } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { refusalLines, refusalOf } from './refusal.ts';

describe('an object that the API server refuses', () => {
  it.each([
    [
      'gets one line for each field',
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
      'gets a line that announces more checks if the API server has not done all of them',
      {
        message: 'x',
        status: {
          details: {
            causes: [
              { field: 'spec.a', message: 'Unsupported value: "b"' },
              {
                field: '<nil>',
                message:
                  'Invalid value: null: some validation rules were not checked because the object was invalid; ' +
                  'correct the existing errors to complete validation',
              },
            ],
          },
        },
      },
      ['spec.a: Unsupported value: "b"', 'Other fields are checked when these are correct.'],
    ],
    [
      'gets one line for each unknown field',
      { message: 'strict decoding error: unknown field "spec.runPolic", duplicate field "spec.x"', status: undefined },
      ['spec.runPolic: unknown field', 'spec.x: duplicate field'],
    ],
    [
      'gets the message of the API server otherwise',
      { message: 'create: no', status: { message: 'admission webhook says no' } },
      ['admission webhook says no'],
    ],
  ])('%s', (_case, error, lines) => {
    expect(refusalLines(error)).toEqual(lines);
  });

  it('is distinguished from a cluster that does not answer', () => {
    const away = new KubeError('no answer', { code: 0, reason: 'Unreachable' });
    expect(refusalOf('PyTorchJob mnist', away)).toBe(away);
    const denied = new KubeError('create: denied', { code: 403, reason: 'Forbidden' });
    expect(refusalOf('PyTorchJob mnist', denied)).toMatchObject({
      exitCode: 1,
      message: 'PyTorchJob mnist is refused:\n  create: denied',
    });
  });
});
