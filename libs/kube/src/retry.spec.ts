import { describe, expect, it } from 'vitest';
import { type Failure, MAX_TRIES, parseRetryAfter, retryDelayMs } from './retry.ts';

const answer = (code: number, retryAfterSeconds?: number): Failure => ({ kind: 'answer', code, retryAfterSeconds });
const connection = (errorCode: string | undefined): Failure => ({ kind: 'connection', errorCode });

describe('retryDelayMs', () => {
  it.each<[string, Failure, boolean, boolean]>([
    // what                            failure                        repeatable: yes / no
    ['the server was busy', answer(429), true, true],
    ['the server failed', answer(500), true, false],
    ['the server was not ready', answer(503, 1), true, false],
    ['a gateway gave up', answer(504), true, false],
    ['the request was refused', answer(403), false, false],
    ['the object is not there', answer(404), false, false],
    ['there was a conflict', answer(409), false, false],
    ['the request was wrong', answer(422), false, false],
    ['the connection was refused', connection('ECONNREFUSED'), true, true],
    ['the name did not resolve', connection('ENOTFOUND'), true, true],
    ['connecting took too long', connection('UND_ERR_CONNECT_TIMEOUT'), true, true],
    ['the connection was cut', connection('UND_ERR_SOCKET'), true, false],
    ['the connection was reset', connection('ECONNRESET'), true, false],
    ['the answer took too long', connection('UND_ERR_HEADERS_TIMEOUT'), true, false],
    ['the certificate was not trusted', connection('DEPTH_ZERO_SELF_SIGNED_CERT'), false, false],
    ['something unknown happened', connection(undefined), false, false],
  ])('when %s', (_what, failure, repeatable, unrepeatable) => {
    expect(retryDelayMs(failure, true, 1) !== undefined).toBe(repeatable);
    expect(retryDelayMs(failure, false, 1) !== undefined).toBe(unrepeatable);
  });

  it('doubles the pause after each try and gives up in the end', () => {
    const pauses = Array.from({ length: MAX_TRIES }, (_, i) => retryDelayMs(answer(500), true, i + 1, () => 1));
    expect(pauses).toEqual([100, 200, 400, 800, 1600, undefined]);
  });

  it('jitters the pause down to half', () => {
    expect(retryDelayMs(answer(500), true, 1, () => 0)).toBe(50);
  });

  it('waits at least as long as the server asks, and up to a quarter longer', () => {
    expect(retryDelayMs(answer(429, 2), false, 1, () => 0)).toBe(2000);
    expect(retryDelayMs(answer(429, 2), false, 1, () => 1)).toBe(2500);
  });

  it('does not retry when the server asks for minutes', () => {
    expect(retryDelayMs(answer(429, 120), true, 1)).toBeUndefined();
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['3', 3],
    ['0', 0],
    ['-1', 0],
    ['', undefined],
    [undefined, undefined],
    ['soon', undefined],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 6],
  ])('reads %j as %j seconds', (header, seconds) => {
    expect(parseRetryAfter(header, 4000)).toBe(seconds);
  });
});
