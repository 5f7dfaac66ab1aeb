import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Progress } from '../progress.ts';
import { BINARIES, binaryOf } from './binary-catalog.ts';
import { ensureBinaries } from './ensure-binaries.ts';

/** A stand-in program that only prints its version. */
function program(path: string, output: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${output}'\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('ensure-binaries', () => {
  let folder: string;
  let notes: string[];
  let progress: Progress;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-binaries-'));
    notes = [];
    progress = { step: (_title, work) => work({ detail: () => undefined }), note: (line) => void notes.push(line) };
    vi.stubEnv('MUSTER_CACHE', join(folder, 'cache'));
    vi.stubEnv('KUBEBUILDER_ASSETS', join(folder, 'assets'));
    vi.stubEnv('PATH', join(folder, 'path'));
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it('uses programs that were built before without running them', async () => {
    const built = program(join(folder, 'cache/muster/1.37.2/bin/kubectl'), 'nothing');
    program(join(folder, 'assets/kubectl'), 'Client Version: v1.37.0');
    expect(await ensureBinaries(['kubectl'], progress)).toEqual([built]);
  });

  it('keeps the releases of Kubernetes apart, and shares the other programs', async () => {
    program(join(folder, 'cache/muster/1.37.2/bin/kubectl'), 'nothing');
    const old = program(join(folder, 'cache/muster/1.31.3/bin/kubectl'), 'nothing');
    const etcd = program(join(folder, `cache/muster/1.37.2/bin/etcd-${BINARIES.etcd.version}`), 'nothing');
    const sources = [binaryOf('kubectl', '1.31.3'), binaryOf('etcd', '1.31.3')];
    expect(await ensureBinaries(sources, progress)).toEqual([old, etcd]);
  });

  it('prefers KUBEBUILDER_ASSETS to the PATH', async () => {
    const asset = program(join(folder, 'assets/kubectl'), 'Client Version: v1.37.0');
    program(join(folder, 'path/kubectl'), 'Client Version: v1.37.1');
    expect(await ensureBinaries(['kubectl'], progress)).toEqual([asset]);
  });

  it('skips a program of another version and prints a note', async () => {
    const old = program(join(folder, 'assets/kubectl'), 'Client Version: v1.32.4-dispatcher');
    const good = program(join(folder, 'path/kubectl'), 'Client Version: v1.37.9');
    expect(await ensureBinaries(['kubectl'], progress)).toEqual([good]);
    expect(notes).toEqual([`Skipping ${old}: it is version 1.32.4, and 1.37 is needed.`]);
  });

  it('says in one sentence what to install if no program and no Go are found', async () => {
    await expect(ensureBinaries(['etcd'], progress)).rejects.toThrow(
      "Go 1.26 or newer is needed to build Kubernetes once: install it from your system's packages or put ready binaries in KUBEBUILDER_ASSETS.",
    );
  });

  it('names the Go it found when that is too old', async () => {
    program(join(folder, 'path/go'), 'go1.19.8');
    await expect(ensureBinaries(['etcd'], progress)).rejects.toThrow(/This machine has 1\.19\.8/);
  });
});
