import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram, silentProgress } from '@muster/cluster';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ensurePrometheus } from './ensure-prometheus.ts';

/** A machine that has it installed never fetches it. */
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

  it('takes what was fetched before', async () => {
    const prometheus = program('cache/muster/prometheus/prometheus');
    const promtool = program('cache/muster/prometheus/promtool');
    program('path/prometheus');
    program('path/promtool');
    expect(await ensurePrometheus(silentProgress)).toEqual({ prometheus, promtool });
  });

  it('takes what is installed', async () => {
    const prometheus = program('path/prometheus');
    const promtool = program('path/promtool');
    expect(await ensurePrometheus(silentProgress)).toEqual({ prometheus, promtool });
  });

  it.skipIf(isInstalled)(
    'unpacks the package where nothing is installed, with lists of its own where the machine has none',
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
      const said = readFileSync(log, 'utf8').trim().split('\n');
      expect(said).toEqual([
        'download prometheus',
        expect.stringMatching(/Lists.* update$/),
        expect.stringMatching(/download prometheus$/),
      ]);
      expect(readdirSync(join(folder, 'cache/muster')).sort()).toEqual(['prometheus']);
    },
  );

  it.skipIf(isInstalled)('says what to install where the package cannot be had', async () => {
    program('path/apt-get', 'echo "E: Unable to locate package prometheus" >&2; exit 100');
    await expect(ensurePrometheus(silentProgress)).rejects.toThrow(
      'Prometheus could not be fetched: install the programs prometheus and promtool',
    );
  });
});
