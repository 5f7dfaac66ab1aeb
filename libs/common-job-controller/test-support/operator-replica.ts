/** One of several replicas of an operator: its process, and a way to the API server of its own, so that its writes are known. */
import type { ClusterAccess } from '@muster/kube';
import { eventually, faultProxy, type FaultProxy, type ProxiedWrite } from '@muster/testing';
import { KeptOperator } from './kept-operator.ts';

const START_MS = 120_000;

export class OperatorReplica implements AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly operator: KeptOperator;
  /** By which the Lease names it. */
  readonly identity: string;

  private constructor(proxy: FaultProxy, operator: KeptOperator, identity: string) {
    this.proxy = proxy;
    this.operator = operator;
    this.identity = identity;
  }

  /** Resolves when it leads, or knows who does. `file` is the bundle. */
  static async start(
    file: string,
    access: ClusterAccess,
    namespace: string,
    flags: readonly string[],
  ): Promise<OperatorReplica> {
    const proxy = await faultProxy(access);
    const operator = new KeptOperator(file, proxy.kubeconfig, namespace, flags);
    const identity = await eventually(() => electionIn(operator.output), {
      withinMs: START_MS,
      describe: () => operator.output,
    });
    return new OperatorReplica(proxy, operator, identity);
  }

  /** What it has done to jobs and what they have: all its writes but those by which it stands for election and asks for its rights. */
  get acts(): ProxiedWrite[] {
    return this.proxy.writes.filter(({ path, code }) => code < 300 && !/\/(leases|selfsubject\w+)\b/.test(path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

/** The identity of the process, from the first line that says who leads. */
function electionIn(output: string): string | undefined {
  return output
    .split('\n')
    .filter((line) => line.includes('"message":"the Lease has a new holder"'))
    .map((line) => JSON.parse(line) as { leader: string; identity: string })
    .find(({ leader }) => leader !== '')?.identity;
}
