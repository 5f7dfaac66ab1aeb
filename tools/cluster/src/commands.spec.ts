import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerClusterCommands } from './commands.ts';

describe('muster cluster', () => {
  let cache: string;
  let output: string;
  let errors: string;

  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'muster-commands-'));
    output = '';
    errors = '';
    vi.stubEnv('MUSTER_CACHE', cache);
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((output += String(text)), true));
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((errors += String(text)), true));
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
    rmSync(cache, { recursive: true });
  });

  const run = async (...args: string[]) => {
    const program = new Command('muster');
    registerClusterCommands(program, { install: () => Promise.resolve() });
    await program.parseAsync(['cluster', ...args], { from: 'user' });
  };

  it('rejects an unknown kind of node with the choices, in one line and with exit code 1', async () => {
    await run('up', '--node', 'virtual');
    expect(errors).toBe('muster: "virtual" is no kind of node: choose one of simulated, real.\n');
    expect(process.exitCode).toBe(1);
  });

  it('refuses more than two nodes for a real cluster', async () => {
    await run('up', '--node', 'real', '--nodes', '3');
    expect(errors).toMatch(/^muster: A real cluster can have 1 or 2 nodes on this machine, not 3.*\n$/);
  });

  it.each([
    [
      ['--kubernetes-version', '1.29.0'],
      /^muster: Kubernetes version "1.29.0" is not supported: .* from 1.31.3 to 1.37.2.*\n$/,
    ],
    [['--node', 'real', '--kubernetes-version', '1.31.3'], /^muster: A real node supports only Kubernetes 1.37.2.*\n$/],
  ])('refuses %j', async (args, expected) => {
    await run('up', ...args);
    expect(errors).toMatch(expected);
    expect(process.exitCode).toBe(1);
  });

  it('prints how to start a cluster instead of a path if there is none', async () => {
    await run('kubeconfig', '--name', 'none');
    expect(output).toBe('');
    expect(errors).toBe('muster: Cluster "none" is not up: start it with "muster cluster up --name none".\n');
    expect(process.exitCode).toBe(1);
  });

  it('says how to start a cluster if none is up, and exits 0', async () => {
    await run('status');
    expect(output).toBe('No cluster is up: start one with "muster cluster up".\n');
    expect(process.exitCode).toBeUndefined();
  });

  it('exits 1 for the status of a cluster that does not exist', async () => {
    await run('status', '--name', 'none');
    expect(output).toBe('none: absent\n');
    expect(process.exitCode).toBe(1);
  });

  it('does nothing when a cluster that does not exist is taken down', async () => {
    await run('down', '--name', 'none');
    expect(errors).toContain('There is no cluster "none".');
    expect(process.exitCode).toBeUndefined();
  });
});
