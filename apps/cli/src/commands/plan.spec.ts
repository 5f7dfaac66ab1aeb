import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { registerPlanCommand } from './plan.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'muster-plan-'))));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function plannedKinds(annotations: object, spec: object, ...flags: string[]) {
  const containers = [{ name: 'pytorch', image: 'registry.example/train:1' }];
  const template = { spec: { containers, ...spec } };
  const file = join(folder, 'job.yaml');
  writeFileSync(
    file,
    stringify({
      apiVersion: 'kubeflow.org/v1',
      kind: 'PyTorchJob',
      metadata: { name: 'train', annotations },
      spec: { pytorchReplicaSpecs: { Master: { template } } },
    }),
  );
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const program = new Command();
  registerPlanCommand(program);
  await program.parseAsync(['plan', '-f', file, ...flags], { from: 'user' });
  const objects = parseAllDocuments(String(written.mock.calls[0]?.[0])).map(
    (one) => one.toJS() as { apiVersion: string; kind: string },
  );
  expect(objects.map(({ kind }) => kind)).toContain('Pod');
  return objects.filter(({ kind }) => kind === 'PodGroup').map(({ apiVersion }) => apiVersion);
}

const VOLCANO = 'scheduling.volcano.sh/v1beta1';
const by = (name: string) => ({ 'muster.dev/gang-scheduler': name });

describe('muster plan', () => {
  it.each([
    ['none', {}, {}, [], []],
    ["the annotation's", by('volcano'), {}, [], [VOLCANO]],
    [
      "the annotation's, not the operator's",
      by('kubernetes'),
      {},
      ['--gang-scheduler-name', 'volcano'],
      ['scheduling.k8s.io/v1alpha2'],
    ],
    ["the operator's", {}, {}, ['--gang-scheduler-name', 'volcano'], [VOLCANO]],
    ['none by its annotation', by('none'), {}, ['--gang-scheduler-name', 'volcano'], []],
    ["its scheduler's", {}, { schedulerName: 'volcano' }, ['--gang-schedulers', 'other, volcano'], [VOLCANO]],
  ])('shows the pods and the group of the gang scheduler: %s', async (_what, annotations, spec, flags, groups) => {
    expect(await plannedKinds(annotations, spec, ...flags)).toEqual(groups);
  });
});
