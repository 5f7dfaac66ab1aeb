import type { PyTorchJob } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { fitManifest, readExample } from './manifest.ts';

const foreign = { image: 'your/pytorch', program: 'train.py', configMap: 'programs' };

function podSpecOf(job: PyTorchJob, role: string) {
  return job.spec.pytorchReplicaSpecs[role]?.template.spec;
}

describe('fitManifest', () => {
  it('changes only the namespace for the image that is built here', async () => {
    const text = await readExample('pytorch-elastic', 'static.yaml');
    const fitted = fitManifest(text, { namespace: 'demo' }) as PyTorchJob;
    expect(fitted.metadata).toEqual({ name: 'pytorch-static', namespace: 'demo' });
    expect(podSpecOf(fitted, 'Worker')?.containers[0]).toMatchObject({
      image: 'muster.local/torch-examples:2.6',
      command: ['python', 'train.py'],
    });
    expect(podSpecOf(fitted, 'Worker')?.volumes).toBeUndefined();
  });

  it("mounts the program from the ConfigMap once in every pod of the user's image", async () => {
    const text = await readExample('pytorch-elastic', 'static.yaml');
    const fitted = fitManifest(text, { namespace: 'demo', foreign }) as PyTorchJob;
    for (const role of ['Master', 'Worker']) {
      const spec = podSpecOf(fitted, role);
      expect(spec?.volumes).toEqual([{ name: 'program', configMap: { name: 'programs' } }]);
      expect(spec?.containers).toHaveLength(1);
      expect(spec?.containers[0]).toMatchObject({
        image: 'your/pytorch',
        command: ['python', '/muster-demo/train.py'],
      });
      expect(spec?.containers[0]?.volumeMounts).toEqual([{ name: 'program', mountPath: '/muster-demo' }]);
    }
  });

  it('adds environment variables once for each pod', async () => {
    const env = { FINISH_WORKERS: '3' };
    const named = async (file: string, role: string) => {
      const fitted = fitManifest(await readExample('pytorch-elastic', file), { namespace: 'demo', env }) as PyTorchJob;
      return podSpecOf(fitted, role)?.containers[0]?.env?.map(({ name }) => name);
    };
    expect(await named('elastic.yaml', 'Worker')).toEqual(['EPOCHS', 'EPOCH_SECONDS', 'CHECKPOINT', 'FINISH_WORKERS']);
    expect(await named('static.yaml', 'Master')).toEqual(['FINISH_WORKERS']);
    expect(await named('static.yaml', 'Worker')).toEqual(['FINISH_WORKERS']);
  });

  it('keeps the volumes that a manifest has', async () => {
    const text = await readExample('pytorch-elastic', 'elastic.yaml');
    const fitted = fitManifest(text, { namespace: 'demo', foreign }) as PyTorchJob;
    const spec = podSpecOf(fitted, 'Worker');
    expect(spec?.volumes?.map(({ name }) => name)).toEqual(['checkpoint', 'program']);
    expect(spec?.containers[0]?.volumeMounts?.map(({ name }) => name)).toEqual(['checkpoint', 'program']);
    expect(spec?.containers[0]?.command).toEqual(['torchrun', '/muster-demo/train.py']);
  });
});
