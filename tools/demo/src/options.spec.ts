import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.ts';

const parse = (...args: string[]) => parseOptions(args, '/home/user', ['pytorch-elastic', 'mpi']);

describe('parseOptions', () => {
  it('selects no framework by name, and a real node by default', () => {
    expect(parse()).toEqual({ help: false, frameworks: [], node: 'real' });
  });

  it('accepts frameworks and options in any order, each framework once', () => {
    expect(parse('mpi', '--node', 'simulated', 'mpi', 'pytorch-elastic')).toMatchObject({
      frameworks: ['mpi', 'pytorch-elastic'],
      node: 'simulated',
    });
  });

  it("resolves a kubeconfig in the user's working folder", () => {
    expect(parse('--kubeconfig', 'kind.yaml').kubeconfig).toBe('/home/user/kind.yaml');
    expect(parse('--kubeconfig', '/etc/kube').kubeconfig).toBe('/etc/kube');
  });

  it.each([
    [['nosuch'], 'The demo has no framework "nosuch": use one of pytorch-elastic, mpi.'],
    [['--node', 'fast'], '--node fast is invalid: use one of simulated, real.'],
    [['--kubeconfig', 'x', '--node', 'real'], '--node cannot be used with --kubeconfig'],
    [['--kubeconfig', 'x', '--image', 'y'], '--image needs exactly one framework'],
    [['--kubeconfig', 'x', '--image', 'y', 'mpi', 'pytorch-elastic'], 'npm start -- pytorch-elastic --kubeconfig'],
    [['--image', 'x'], '--image needs --kubeconfig'],
    [['--verbose'], "Unknown option '--verbose'. Run npm start -- --help for its usage."],
    [['--image'], "Option '--image <value>' argument missing. Run npm start -- --help"],
  ])('refuses %j in one line', (args, message) => {
    expect(() => parse(...args)).toThrow(message);
    expect(() => parse(...args)).not.toThrow('\n');
  });

  it('accepts --help without other arguments', () => {
    expect(parse('-h').help).toBe(true);
  });
});
