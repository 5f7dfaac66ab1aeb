import { describe, expect, it } from 'vitest';
import { amount, folder, onOff, port, task } from './flags.ts';
import { readArguments } from './read-arguments.ts';

const FLAGS = {
  ps: task('ps', ''),
  port: port(2222, ''),
  slots: amount(''),
  path: folder('/root/.ssh', ''),
  quiet: onOff(false, ''),
};
const DEFAULTS = { ps: 'ps', port: 2222, slots: undefined, path: '/root/.ssh', quiet: false };
const read = (args: readonly string[]) => readArguments(FLAGS, args, 'spec.plugins.tensorflow');

describe('arguments of a plugin', () => {
  it.each<[args: string[], values: object]>([
    [[], {}],
    [['--ps=servers'], { ps: 'servers' }],
    [['-ps=servers'], { ps: 'servers' }],
    [['--ps', 'servers', '--port', '5000'], { ps: 'servers', port: 5000 }],
    [['--port=5000', '--port=6000'], { port: 6000 }],
    [['--quiet'], { quiet: true }],
    [['--quiet=F', '--slots=8'], { quiet: false, slots: 8 }],
    [['--quiet=1', '--ps=a=b'], { quiet: true, ps: 'a=b' }],
    [['--path=/home/user/.ssh'], { path: '/home/user/.ssh' }],
  ])('reads the arguments %j', (args, values) => {
    expect(read(args)).toMatchObject({ values: { ...DEFAULTS, ...values }, problems: [] });
  });

  it.each<[args: string[], path: number, message: string]>([
    [
      ['--ps=a', '--prot=5000'],
      1,
      'Unsupported value: "--prot=5000": the plugin has no flag --prot: did you mean --port?',
    ],
    [['--nothing-of-it'], 0, 'its flags are --ps, --port, --slots, --path, --quiet'],
    [['--port=http'], 0, 'Invalid value: "--port=http": the flag takes a port from 1 to 65535'],
    [['--port', '0'], 0, 'Invalid value: "--port 0": the flag takes a port from 1 to 65535'],
    [['--port=65536'], 0, 'a port from 1 to 65535'],
    [['--port'], 0, 'Invalid value: "--port": the flag takes a port'],
    [['--ps='], 0, 'the flag takes the name of a task'],
    [['--slots=0'], 0, 'a number from 1 to 10000'],
    [['--path=keys'], 0, 'a path that begins with /'],
    [['--quiet', 'true'], 1, 'Invalid value: "true": is not a flag'],
    [['--quiet=yes'], 0, 'Invalid value: "--quiet=yes": the flag takes true or false'],
    [['ps=a'], 0, 'write a value as --flag=value'],
    [['--'], 0, 'is not a flag'],
    [['---ps=a'], 0, 'is not a flag'],
  ])('refuses the arguments %j', (args, at, expected) => {
    const [problem, ...others] = read(args).problems;
    expect(problem?.path).toBe(`spec.plugins.tensorflow[${at}]`);
    expect(problem?.message).toContain(expected);
    expect(others).toEqual([]);
  });

  it('checks every argument, also those after an invalid one', () => {
    const { values, problems } = read(['--port=x', '--ps=servers', '--more', '--quiet']);
    expect(problems.map(({ path }) => path)).toEqual(['spec.plugins.tensorflow[0]', 'spec.plugins.tensorflow[2]']);
    expect(values).toMatchObject({ ps: 'servers', port: 2222, quiet: true });
  });

  it('truncates long arguments in messages', () => {
    expect(read([`--key=${'x'.repeat(4000)}`]).problems[0]?.message.length).toBeLessThan(200);
  });
});
