/** An operator process with its own proxy, so that its writes are known. */
import type { ClusterAccess } from '@muster/kube';
import { eventually, faultProxy, type FaultProxy, type ProxiedWrite } from '@muster/testing';
import { KeptOperator } from './kept-operator.ts';

const START_MS = 120_000;

export class OperatorReplica implements AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly operator: KeptOperator;
  readonly identity: string;

  private constructor(proxy: FaultProxy, operator: KeptOperator, identity: string) {
    this.proxy = proxy;
    this.operator = operator;
    this.identity = identity;
  }

  /** Resolves when the leader is known. `file` is the bundle. */
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

  /** Successful writes, without those for leader election and access checks. */
  get acts(): ProxiedWrite[] {
    return this.proxy.writes.filter(({ path, code }) => code < 300 && !/\/(leases|selfsubject\w+)\b/.test(path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

function electionIn(output: string): string | undefined {
  return output
    .split('\n')
    .filter((line) => line.includes('"message":"the Lease has a new holder"'))
    .map((line) => JSON.parse(line) as { leader: string; identity: string })
    .find(({ leader }) => leader !== '')?.identity;
}
