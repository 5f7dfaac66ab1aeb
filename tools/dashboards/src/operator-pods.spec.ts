import { describe, expect, it } from 'vitest';
import { operatorPod } from './operator-pods.ts';

const pod = (release: string, phase: string, podIP?: string) => ({
  metadata: {
    name: 'mpi-5d-x',
    namespace: 'muster',
    labels: { 'app.kubernetes.io/name': 'muster-mpi', 'app.kubernetes.io/instance': release },
  },
  spec: { containers: [{ name: 'sidecar' }, { name: 'operator', ports: [{ name: 'http', containerPort: 9090 }] }] },
  status: { phase, ...(podIP !== undefined && { podIP }) },
});

describe('the pod of an operator', () => {
  it('has the labels that a ServiceMonitor of its chart sets', () => {
    expect(operatorPod(pod('mpi', 'Running', '10.0.0.7'))).toEqual({
      namespace: 'muster',
      pod: 'mpi-5d-x',
      port: 9090,
      labels: {
        job: 'mpi',
        service: 'mpi',
        namespace: 'muster',
        pod: 'mpi-5d-x',
        container: 'operator',
        endpoint: 'http',
        instance: '10.0.0.7:9090',
      },
    });
    expect(operatorPod(pod('prod', 'Running', '10.0.0.7'))?.labels['service']).toBe('prod-mpi');
  });

  it('is not scraped before it has an address, or after it has ended', () => {
    expect(operatorPod(pod('mpi', 'Pending'))).toBeUndefined();
    expect(operatorPod(pod('mpi', 'Failed', '10.0.0.7'))).toBeUndefined();
  });
});
