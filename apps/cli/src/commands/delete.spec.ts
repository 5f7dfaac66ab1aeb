import { KubeError, type ClusterClient } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import type { Session } from '../session.ts';
import { deleted } from './delete.ts';

describe('a job', () => {
  it('is not deleted if the command is interrupted while it reads the job', async () => {
    const interrupt = new AbortController();
    const requests: string[] = [];
    const client = {
      raw: (path: string) =>
        path === '/apis/kubeflow.org/v1'
          ? Promise.resolve({ resources: [{ name: 'pytorchjobs', kind: 'PyTorchJob', namespaced: true }] })
          : Promise.reject(new KubeError('not there', { code: 404, reason: 'NotFound' })),
      get: () => {
        requests.push('get');
        interrupt.abort(new Error('interrupted'));
        return Promise.resolve({ metadata: { name: 'mnist', namespace: 'team', uid: 'uid' } });
      },
      delete: () => Promise.resolve(requests.push('delete')),
    } as unknown as ClusterClient;
    const session = { client, namespace: 'team', signal: interrupt.signal } as Session;
    const deletion = deleted(session, 'pytorchjob/mnist', { wait: 'false', cascade: 'background' });
    await expect(deletion).rejects.toThrow('interrupted');
    expect(requests).toEqual(['get']);
  });
});
