/** The replacement of ssh, also run by a shell. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { KUBECTL_FOLDER } from '../pods/container-paths.ts';
import { kubexecScript } from './kubexec.ts';

describe('kubexec.sh', () => {
  it('enters the first container', () => {
    expect(kubexecScript({ mainContainer: undefined })).toBe(
      '#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\nexec /opt/kube/kubectl exec "$POD_NAME" -- /bin/sh -c "$*"\n',
    );
  });

  it('enters the named container', () => {
    expect(kubexecScript({ mainContainer: 'trainer' })).toContain(
      '\nexec /opt/kube/kubectl exec "$POD_NAME" --container trainer -- /bin/sh -c "$*"\n',
    );
  });
});

describe('kubexec.sh, run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubexec-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The arguments of kubectl when `mpirun` calls the script with `args`. */
  function kubectlArguments(args: readonly string[], mainContainer?: string): string[] {
    const kubectl = join(folder, 'kubectl');
    writeFileSync(kubectl, '#!/bin/sh\nfor word do printf "%s\\0" "$word"; done\n');
    const script = join(folder, 'kubexec.sh');
    writeFileSync(script, kubexecScript({ mainContainer }).replaceAll(KUBECTL_FOLDER, folder));
    chmodSync(kubectl, 0o755);
    chmodSync(script, 0o555);
    const printed = execFileSync(script, args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
    return printed.split('\0').slice(0, -1);
  }

  it("passes the command to the pod's shell as one argument, like sshd", () => {
    const args = ['pi-worker-1', 'PATH=/usr/bin:$PATH', ';', 'orted', '-mca', 'ess', '"env"', '-mca', 'x', "'a b'"];
    expect(kubectlArguments(args)).toEqual([
      'exec',
      'pi-worker-1',
      '--',
      '/bin/sh',
      '-c',
      `PATH=/usr/bin:$PATH ; orted -mca ess "env" -mca x 'a b'`,
    ]);
  });

  it('names the container', () => {
    expect(kubectlArguments(['pi-worker-0', 'hostname'], 'trainer')).toEqual([
      'exec',
      'pi-worker-0',
      '--container',
      'trainer',
      '--',
      '/bin/sh',
      '-c',
      'hostname',
    ]);
  });
});
