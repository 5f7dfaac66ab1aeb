/** Parses the command line of `npm start`. Errors have one line. */
import { isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NODE_KINDS, type NodeKind } from '@muster/cluster';
import { DemoError } from './demo-error.ts';

export interface DemoOptions {
  readonly help: boolean;
  /** Names of frameworks; the default ones if empty. */
  readonly frameworks: readonly string[];
  /** The kubeconfig of an existing cluster. */
  readonly kubeconfig?: string;
  /** The image of the pods there, instead of the one that is built here. */
  readonly image?: string;
  /** The kind of the local cluster's nodes. */
  readonly node: NodeKind;
}

export const HELP = `Shows Muster: starts a cluster and the operators, and runs training jobs that are scaled and lose workers.

Usage: npm start [-- [framework...] [options]]

  [framework...]       frameworks to show: %FRAMEWORKS%
                       (default: pytorch-elastic, tensorflow, mpi, mxnet and ray)
  --node <kind>        real (default: this machine runs containers; needs Linux and root) or simulated (jobs do not
                       train, but are scaled, and pods are replaced; needs no root)
  --kubeconfig <file>  use this cluster instead of a local one
  --image <image>      with --kubeconfig and one framework: image with that framework that the cluster can pull
  --help               print this help

Exit code: 0 if all jobs met their expectations, 1 if not, 130 after Ctrl-C. A local cluster stays up;
npx muster cluster down --name demo removes it.`;

/**
 * @param from the user's working folder: npm runs scripts in another one
 * @param known names of frameworks
 */
export function parseOptions(args: readonly string[], from: string, known: readonly string[]): DemoOptions {
  const { values, positionals } = readArguments(args);
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new DemoError(`The demo has no framework "${unknown}": use one of ${known.join(', ')}.`);
  }
  const node = NODE_KINDS.find((kind) => kind === (values.node ?? 'real'));
  if (node === undefined) throw new DemoError(`--node ${values.node} is invalid: use one of ${NODE_KINDS.join(', ')}.`);
  const { kubeconfig, image } = values;
  if (kubeconfig !== undefined && values.node !== undefined) {
    throw new DemoError('--node cannot be used with --kubeconfig: that cluster has its own nodes.');
  }
  if (image !== undefined && kubeconfig === undefined) {
    throw new DemoError('--image needs --kubeconfig: the local cluster runs the image that is built here.');
  }
  const frameworks = [...new Set(positionals)];
  if (image !== undefined && frameworks.length !== 1) {
    throw new DemoError(
      `--image needs exactly one framework, for example: npm start -- ${known[0]} --kubeconfig <file> --image <image>.`,
    );
  }
  return {
    help: values.help === true,
    frameworks,
    node,
    ...(kubeconfig === undefined
      ? {}
      : { kubeconfig: isAbsolute(kubeconfig) ? kubeconfig : resolve(from, kubeconfig) }),
    ...(image === undefined ? {} : { image }),
  };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        kubeconfig: { type: 'string' },
        image: { type: 'string' },
        node: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // The parser's first sentence is the error; the others are about positional arguments.
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    throw new DemoError(`${sentence?.replace(/\.$/, '')}. Run npm start -- --help for its usage.`, { cause: error });
  }
}
