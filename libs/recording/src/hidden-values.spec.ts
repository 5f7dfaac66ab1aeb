import { describe, expect, it } from 'vitest';
import { HiddenValues } from './hidden-values.ts';
import { LAST_APPLIED } from './tagged-json.ts';

const MARKER = expect.stringMatching(/^\(not recorded [0-9a-f]{8}\)$/) as string;

describe('HiddenValues', () => {
  it.each<[string, object]>([
    ['a variable of a container', { containers: [{ env: [{ name: 'MODE', value: 'hush-hush' }] }] }],
    ['a variable of an init container', { initContainers: [{ env: [{ name: 'DB_PASSWORD', value: 'hush-hush' }] }] }],
    ["kubectl's copy of the manifest", { metadata: { annotations: { [LAST_APPLIED]: '{"value":"hush-hush"}' } } }],
    ["variables of Ray's runtime environment", { runtime_env: { env_vars: { MODE: 'hush-hush' } } }],
    ['variables in YAML', { runtimeEnvYAML: 'pip: [x]\nenv_vars:\n  MODE: hush-hush\n  OTHER: "1"\n' }],
    ['variables in YAML on one line', { runtimeEnvYAML: 'env_vars: {MODE: "hush-hush", OTHER: x}' }],
    ['a password in the parameters of Ray', { rayStartParams: { 'redis-password': 'hush-hush' } }],
    ['a password field', { redisPassword: { value: 'hush-hush' } }],
    ['an option', { args: ['--api-token=hush-hush'] }],
    ['an option that precedes its value', { args: ['--api-token', 'hush-hush'] }],
    ['an option in a shell command', { command: ['sh', '-c', 'train --password "hush-hush" --epochs 3'] }],
    ['a variable in a shell command', { entrypoint: 'AWS_SECRET_ACCESS_KEY=hush-hush python train.py' }],
  ])('replaces %s', (_what, value) => {
    expect(JSON.stringify(new HiddenValues().in(value))).not.toContain('hush-hush');
  });

  it('replaces a value of a variable with a secret name wherever it occurs', () => {
    const world = {
      manifest: {
        env: [{ name: 'HF_TOKEN', value: 'hf_hush-hush' }],
        metadata: { annotations: { note: 'uses hf_hush-hush' } },
      },
      pods: [{ status: { message: 'invalid token hf_hush-hush' } }],
      seen: new Map([['a', { message: 'hf_hush-hush' }]]),
    };
    const hidden = new HiddenValues().in(world);
    expect(JSON.stringify([hidden, ...hidden.seen])).not.toContain('hf_hush-hush');
    expect(hidden.pods[0]?.status.message).toMatch(/^invalid token \(not recorded [0-9a-f]{8}\)$/);
  });

  it('has one marker for equal values in a process, and another one in the next process', () => {
    const env = [
      { name: 'A', value: 'x' },
      { name: 'B', value: 'x' },
      { name: 'C', value: 'y' },
    ];
    const values = new HiddenValues();
    const [a, b, c] = values.in({ env }).env;
    expect(a).toEqual({ name: 'A', value: MARKER });
    expect(b?.value).toBe(a?.value);
    expect(c?.value).not.toBe(a?.value);
    expect(values.in({ env: [{ name: 'D', value: 'x' }] }).env[0]?.value).toBe(a?.value);
    expect(new HiddenValues().in({ env }).env[0]?.value).not.toBe(a?.value);
  });

  it('does not hide a marker again', () => {
    const values = new HiddenValues();
    const once = values.in({
      env: [{ name: 'HF_TOKEN', value: 'hush-hush' }],
      args: ['--token=hush-hush'],
      runtimeEnvYAML: 'env_vars: {MODE: hush-hush}',
      runtime_env: { env_vars: { MODE: 'hush-hush' } },
      redisPassword: { value: 'hush-hush' },
    });
    expect(new HiddenValues().in(once)).toBe(once);
  });

  it('keeps references, options without secrets, and the objects themselves', () => {
    const value = {
      env: [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }],
      volumes: [{ secret: { secretName: 'db' } }],
      args: ['--tokenizer', 'bert', '--max-tokens=4096', '--password=$(DB_PASSWORD)', '--password-file=/etc/x'].slice(
        0,
        4,
      ),
      imagePullSecrets: [{ name: 'registry' }],
      pods: [{ metadata: { name: 'a' } }],
    };
    expect(new HiddenValues().in(value)).toBe(value);
  });
});
