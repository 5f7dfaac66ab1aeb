import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram, silentProgress } from '@muster/cluster';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ensurePrometheus } from './ensure-prometheus.ts';

/** With an installed Prometheus, nothing is downloaded. */
const isInstalled = findProgram('prometheus') !== undefined;

describe('ensurePrometheus', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-prometheus-'));
    vi.stubEnv('MUSTER_CACHE', join(folder, 'cache'));
    vi.stubEnv('PATH', join(folder, 'path'));
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  function program(path: string, script = ''): string {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, path), 0o755);
    return join(folder, path);
  }

  it('uses programs in the cache', async () => {
    const prometheus = program('cache/muster/prometheus/prometheus');
    const promtool = program('cache/muster/prometheus/promtool');
    program('path/prometheus');
    program('path/promtool');
    expect(await ensurePrometheus(silentProgress)).toEqual({ prometheus, promtool });
  });

  it('uses installed programs', async () => {
    const prometheus = program('path/prometheus');
    const promtool = program('path/promtool');
    expect(await ensurePrometheus(silentProgress)).toEqual({ prometheus, promtool });
  });

  it.skipIf(isInstalled)(
    'unpacks the package if nothing is installed, with its own package lists if the system has none',
    async () => {
      const log = join(folder, 'log');
      program(
        'path/apt-get',
        `echo "$*" >> ${log}
       case "$*" in
       "download prometheus") exit 100 ;;
       *"download prometheus") echo package > prometheus_2.42_amd64.deb ;;
       esac`,
      );
      program(
        'path/dpkg-deb',
        'mkdir -p "$3/usr/bin" && cp "$2" "$3/usr/bin/prometheus" && cp "$2" "$3/usr/bin/promtool"',
      );
      const fetched = join(folder, 'cache/muster/prometheus');
      const programs = { prometheus: join(fetched, 'prometheus'), promtool: join(fetched, 'promtool') };
      const calls = await Promise.all([ensurePrometheus(silentProgress), ensurePrometheus(silentProgress)]);
      expect(calls).toEqual([programs, programs]);
      const commands = readFileSync(log, 'utf8').trim().split('\n');
      expect(commands).toEqual([
        'download prometheus',
        expect.stringMatching(/Lists.* update$/),
        expect.stringMatching(/download prometheus$/),
      ]);
      expect(readdirSync(join(folder, 'cache/muster')).sort()).toEqual(['prometheus']);
    },
  );

  it.skipIf(isInstalled)('reports what to install if the package cannot be downloaded', async () => {
    program('path/apt-get', 'echo "E: Unable to locate package prometheus" >&2; exit 100');
    await expect(ensurePrometheus(silentProgress)).rejects.toThrow(
      'Prometheus could not be downloaded: install the programs prometheus and promtool',
    );
  });
});
