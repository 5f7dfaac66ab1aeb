/**
 * kwok and its nodes, each with capacity for 110 pods and 8 simulated GPUs, so that the real scheduler has choices. Needs no root and works
 * on every system that runs the control plane.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { ClusterState } from '../cluster-state.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { type ComponentCommand, startComponent } from '../processes/component.ts';
import { kwokConfiguration } from './kwok-stages.ts';

/** A label of the nodes, with the value "true". */
export const SIMULATED_NODE_LABEL = 'muster.dev/simulated-node';

function desiredSimulatedNode(index: number): object {
  const name = `simulated-${index}`;
  const room = { cpu: '64', memory: '512Gi', pods: '110', 'ephemeral-storage': '1Ti', 'nvidia.com/gpu': '8' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        [SIMULATED_NODE_LABEL]: 'true',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
      },
    },
    status: { allocatable: room, capacity: room },
  };
}

/** Creates the nodes and starts kwok, which makes them ready. */
export async function startSimulatedNodes(
  state: ClusterState,
  folder: string,
  kwok: string,
  controlPlane: ControlPlane,
): Promise<void> {
  const configuration = join(folder, 'kwok.yaml');
  writeFileSync(
    configuration,
    kwokConfiguration()
      .map((document) => stringify(document))
      .join('---\n'),
  );
  const indexes = Array.from({ length: state.nodes }, (_, index) => index);
  await Promise.all(indexes.map((index) => controlPlane.client.create('/api/v1/nodes', desiredSimulatedNode(index))));
  startComponent(state, kwokCommand(kwok, controlPlane.kubeconfig, configuration));
}

function kwokCommand(file: string, kubeconfig: string, configuration: string): ComponentCommand {
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--config=${configuration}`,
    `--manage-nodes-with-label-selector=${SIMULATED_NODE_LABEL}=true`,
    '--node-ip=10.213.255.254',
    '--cidr=10.214.0.0/16',
    '--node-lease-duration-seconds=40',
  ];
  return { name: 'kwok', file, args };
}
