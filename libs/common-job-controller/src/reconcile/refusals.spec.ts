import { KubeError } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { rejectionOf, type Rejection } from './refusals.ts';

type Cause = { readonly field?: string; readonly message?: string; readonly reason?: string };

function answer(code: number, reason: string, message: string, causes?: readonly Cause[]): KubeError {
  const details = causes && { kind: 'Pod', causes: [...causes] };
  const status = { kind: 'Status', code, reason, message, ...(details && { details }) };
  return new KubeError(`POST pods in team: ${message}`, { code, reason, status });
}

const FIELD = { field: 'spec.containers[0].volumeMounts[0].name', message: 'Not found: "nowhere"' };
const POLICY =
  "pods \"mnist-worker-0\" is forbidden: ValidatingAdmissionPolicy 'approved' with binding 'all' denied request: pods need a label";

describe('verdictOn', () => {
  it.each<[string, unknown, Rejection | undefined]>([
    [
      "the API server's own validation, which names fields",
      answer(422, 'Invalid', 'Pod "mnist-worker-0" is invalid: spec.containers[0].volumeMounts[0].name: Not found', [
        FIELD,
      ]),
      'invalid',
    ],
    [
      'an object that cannot be decoded',
      answer(
        400,
        'BadRequest',
        'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal object into []v1.Volume',
      ),
      'invalid',
    ],
    ['an unknown field', answer(400, 'BadRequest', 'strict decoding error: unknown field "spec.x"'), 'invalid'],
    [
      'an admission policy, whose default reason is Invalid',
      answer(422, 'Invalid', POLICY, [{ message: 'pods need a label' }]),
      'refused',
    ],
    ['an admission policy with another code', answer(413, 'RequestEntityTooLarge', POLICY), 'refused'],
    [
      'a webhook without a code',
      answer(403, 'Forbidden', 'admission webhook "pods.example.com" denied the request: no'),
      'refused',
    ],
    [
      'a webhook with 400',
      answer(400, 'BadRequest', 'admission webhook "pods.example.com" denied the request: no'),
      'refused',
    ],
    [
      'a webhook that names fields',
      answer(422, 'Invalid', 'admission webhook "pods.example.com" denied the request: spec', [FIELD]),
      'refused',
    ],
    [
      'an unreachable webhook',
      answer(
        500,
        'InternalError',
        'Internal error occurred: failed calling webhook "pods.example.com": connection refused',
      ),
      'refused',
    ],
    ['a quota', answer(403, 'Forbidden', 'pods "mnist-worker-0" is forbidden: exceeded quota: few'), 'refused'],
    ['an Invalid that names no field', answer(422, 'Invalid', 'no'), 'refused'],
    [
      'a kind that is not served',
      answer(404, 'NotFound', 'the server could not find the requested resource'),
      'refused',
    ],
    ['a quota that was changed in the meantime', answer(409, 'Conflict', 'the object has been modified'), undefined],
    ['too many requests', answer(429, 'TooManyRequests', 'slow down'), undefined],
    ['credentials that have expired', answer(401, 'Unauthorized', 'Unauthorized'), undefined],
    ['an outage', answer(503, 'ServiceUnavailable', 'etcd is away'), undefined],
    ['no answer', new KubeError('no answer', { code: 0, reason: 'Unreachable' }), undefined],
    ["an error in Muster's code", new TypeError('x is undefined'), undefined],
  ])('classifies %s', (_what, error, expected) => {
    expect(rejectionOf(error)).toBe(expected);
  });
});
