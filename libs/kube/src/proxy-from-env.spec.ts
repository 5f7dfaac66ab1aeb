import { describe, expect, it } from 'vitest';
import { proxyFromEnv } from './proxy-from-env.ts';

const PROXY = 'http://proxy.example:3128';

describe('proxyFromEnv', () => {
  it.each([
    ['https://api.example:6443', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://api.example:6443', { https_proxy: PROXY }, PROXY],
    ['https://api.example:6443', { HTTPS_PROXY: PROXY, https_proxy: 'http://other' }, PROXY],
    ['https://api.example:6443', { HTTP_PROXY: PROXY }, undefined],
    ['http://api.example:8001', { HTTP_PROXY: PROXY }, PROXY],
    ['https://api.example:6443', {}, undefined],
    ['https://api.example:6443', { HTTPS_PROXY: '' }, undefined],
    ['https://localhost:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['https://127.0.3.1:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY: PROXY }, undefined],
  ])('chooses the proxy of %s by %j', (server, env, expected) => {
    expect(proxyFromEnv(server, env)).toBe(expected);
  });

  it.each([
    ['https://api.example:6443', '*'],
    ['https://api.example:6443', 'api.example'],
    ['https://api.example:6443', 'x, API.Example:6443'],
    ['https://api.team.example:6443', 'example'],
    ['https://api.team.example:6443', '.team.example'],
    ['https://api.team.example:6443', '*.example'],
    ['https://10.1.2.3:6443', '10.0.0.0/8'],
    ['https://10.1.2.3:6443', '10.1.2.3'],
    ['https://10.1.2.3:6443', '10.1.2.3:6443'],
    ['https://[fd00::5]:6443', 'fd00::/8'],
    ['https://[fd00::5]:6443', '[fd00::5]:6443'],
  ])('connects to %s directly where NO_PROXY is %s', (server, NO_PROXY) => {
    expect(proxyFromEnv(server, { HTTPS_PROXY: PROXY, NO_PROXY })).toBeUndefined();
  });

  it.each([
    ['https://api.example:6443', ''],
    ['https://api.example:6443', 'api.example:443'],
    ['https://api.example:6443', '.api.example'],
    ['https://api.example:6443', 'pi.example'],
    ['https://11.1.2.3:6443', '10.0.0.0/8, 10.0.0.0/99, nonsense/8'],
    ['https://api.example:6443', '10.0.0.0/8'],
  ])('connects to %s through the proxy where NO_PROXY is %s', (server, no_proxy) => {
    expect(proxyFromEnv(server, { HTTPS_PROXY: PROXY, no_proxy })).toBe(PROXY);
  });
});
