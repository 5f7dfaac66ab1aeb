import { describe, expect, it } from 'vitest';
import { requirementsFile, type PipReport } from './requirements-file.ts';

const one = (name: string, version: string, sha256?: string): PipReport['install'][number] => ({
  metadata: { name, version },
  download_info: {
    url: `https://registry.example/${name}.whl`,
    archive_info: sha256 === undefined ? {} : { hashes: { sha256 } },
  },
});

describe('a requirements file', () => {
  it('names every package once, with its version and the hashes for all machines, in the order of names', () => {
    const reports = [
      { install: [one('xgboost_cpu', '3.2.0', 'aa'), one('NumPy', '2.4.6', 'bb'), one('narwhals', '2.29.0', 'cc')] },
      { install: [one('numpy', '2.4.6', 'dd'), one('narwhals', '2.29.0', 'cc')] },
    ];
    expect(requirementsFile(reports, ['xgboost-cpu'], '3.13')).toBe(
      [
        '# xgboost-cpu for Python 3.13, with all that they need. How to renew this file:',
        '# docs/administrators/images.md.',
        'narwhals==2.29.0 \\',
        '    --hash=sha256:cc',
        'numpy==2.4.6 \\',
        '    --hash=sha256:bb \\',
        '    --hash=sha256:dd',
        'xgboost-cpu==3.2.0 \\',
        '    --hash=sha256:aa',
        '',
      ].join('\n'),
    );
  });

  it('is not written without a hash, because pip would refuse it', () => {
    expect(() => requirementsFile([{ install: [one('numpy', '2.4.6')] }], ['numpy'], '3.13')).toThrow(
      'pip reports no sha256 of https://registry.example/numpy.whl',
    );
  });
});
