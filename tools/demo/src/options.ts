/** The command line of `npm start`. Reads it, and says in one line what is wrong with it. */
import { isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NODE_KINDS, type NodeKind } from '@muster/cluster';
import { DemoError } from './demo-error.ts';

export interface DemoOptions {
  readonly help: boolean;
  /** Names of frameworks; all that there are when empty. */
  readonly frameworks: readonly string[];
  /** A cluster that is there already. */
  readonly kubeconfig?: string;
  /** What the pods run there, instead of the image that is built here. */
  readonly image?: string;
  /** What the local cluster's nodes are. */
  readonly node: NodeKind;
}

export const HELP = `Shows Muster at work: a cluster, the operators, and training jobs that are scaled and lose workers while they run.

Usage: npm start [-- [framework...] [options]]

  [framework...]       which frameworks to show: %FRAMEWORKS% (all of them unless named)
  --node <kind>        real (this machine runs containers; Linux and root; the default) or simulated (nothing
                       trains, but jobs are scaled and pods replaced; no root)
  --kubeconfig <file>  use this cluster instead of a local one
  --image <image>      with --kubeconfig and one framework: an image with that framework that the cluster can pull
  --help               print this

Exit status: 0 if every job did what it should, 1 if not, 130 after Ctrl-C. A local cluster stays up for you to look at;
npx muster cluster down --name demo removes it.`;

/**
 * @param from the folder in which the person typed the command: npm runs scripts elsewhere
 * @param known names of frameworks
 */
export function parseOptions(args: readonly string[], from: string, known: readonly string[]): DemoOptions {
  const { values, positionals } = readArguments(args);
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new DemoError(`There is no framework "${unknown}" in the demo: choose from ${known.join(', ')}.`);
  }
  const node = NODE_KINDS.find((kind) => kind === (values.node ?? 'real'));
  if (node === undefined) throw new DemoError(`--node ${values.node}: choose one of ${NODE_KINDS.join(', ')}.`);
  const { kubeconfig, image } = values;
  if (kubeconfig !== undefined && values.node !== undefined) {
    throw new DemoError('--kubeconfig names a cluster with nodes of its own: leave out --node.');
  }
  if (image !== undefined && kubeconfig === undefined) {
    throw new DemoError('--image goes with --kubeconfig: the local cluster runs the image that is built here.');
  }
  const frameworks = [...new Set(positionals)];
  if (image !== undefined && frameworks.length !== 1) {
    throw new DemoError(
      `--image has one framework in it: name which, for example npm start -- ${known[0]} --kubeconfig <file> --image <image>.`,
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
    // The parser's first sentence says what is wrong; what follows is advice about positional arguments.
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    throw new DemoError(`${sentence?.replace(/\.$/, '')}: npm start -- --help tells what there is.`, { cause: error });
  }
}
