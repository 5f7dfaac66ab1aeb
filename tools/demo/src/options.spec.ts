import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.ts';

const parse = (...args: string[]) => parseOptions(args, '/home/user', ['pytorch-elastic', 'mpi']);

describe('parseOptions', () => {
  it('takes every framework and a real node unless told otherwise', () => {
    expect(parse()).toEqual({ help: false, frameworks: [], node: 'real' });
  });

  it('takes frameworks and options in any order, each framework once', () => {
    expect(parse('mpi', '--node', 'simulated', 'mpi', 'pytorch-elastic')).toMatchObject({
      frameworks: ['mpi', 'pytorch-elastic'],
      node: 'simulated',
    });
  });

  it('finds a kubeconfig from where the person stands', () => {
    expect(parse('--kubeconfig', 'kind.yaml').kubeconfig).toBe('/home/user/kind.yaml');
    expect(parse('--kubeconfig', '/etc/kube').kubeconfig).toBe('/etc/kube');
  });

  it.each([
    [['nosuch'], 'There is no framework "nosuch" in the demo: choose from pytorch-elastic, mpi.'],
    [['--node', 'fast'], '--node fast: choose one of simulated, real.'],
    [['--kubeconfig', 'x', '--node', 'real'], 'leave out --node'],
    [['--kubeconfig', 'x', '--image', 'y'], '--image has one framework in it: name which'],
    [['--kubeconfig', 'x', '--image', 'y', 'mpi', 'pytorch-elastic'], 'npm start -- pytorch-elastic --kubeconfig'],
    [['--image', 'x'], '--image goes with --kubeconfig'],
    [['--verbose'], "Unknown option '--verbose': npm start -- --help tells what there is."],
    [['--image'], "Option '--image <value>' argument missing: npm start -- --help"],
  ])('refuses %j in one line', (args, message) => {
    expect(() => parse(...args)).toThrow(message);
    expect(() => parse(...args)).not.toThrow('\n');
  });

  it('lets --help win over nothing else being asked', () => {
    expect(parse('-h').help).toBe(true);
  });
});
