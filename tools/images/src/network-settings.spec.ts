import { describe, expect, it } from 'vitest';

import { parsePipSettings } from './network-settings.ts';

describe('the pip settings of this machine', () => {
  it('for downloads become environment variables, others do not', () => {
    const text = [
      "global.index-url='https://packages.example/simple'",
      "global.cache-dir='/var/cache/pip'",
      "install.user='true'",
      "install.trusted-host='packages.example'",
    ].join('\n');
    expect(parsePipSettings(text)).toEqual({
      PIP_INDEX_URL: 'https://packages.example/simple',
      PIP_TRUSTED_HOST: 'packages.example',
    });
  });

  it('follow the precedence of pip: the environment, then the command, then what is global, in whatever order printed', () => {
    const text = [
      ":env:.index-url='https://env.example'",
      "install.index-url='https://install.example'",
      "install.timeout='60'",
      "global.index-url='https://global.example'",
      "global.timeout='15'",
      "download.timeout='1'",
    ].join('\n');
    expect(parsePipSettings(text)).toEqual({ PIP_INDEX_URL: 'https://env.example', PIP_TIMEOUT: '60' });
  });

  it('may have several values, which files write in lines and variables with spaces between', () => {
    const text = String.raw`global.extra-index-url='\nhttps://a.example\nhttps://b.example'`;
    expect(parsePipSettings(text)).toEqual({ PIP_EXTRA_INDEX_URL: 'https://a.example https://b.example' });
  });

  it('are none where pip prints none', () => {
    expect(parsePipSettings('')).toEqual({});
  });
});
