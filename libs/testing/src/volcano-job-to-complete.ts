/** Volcano Jobs of `examples/volcano` on a stage whose operator runs them. */
import { crdFor, PODS, VOLCANO_JOBS, volcanoJobDefinition, type VolcanoJob } from '@muster/job-api';
import { installCrd } from './install-crd.ts';
import type { TrainingStage } from './training-stage.ts';

/** The Job of that example once it is in that phase. */
export async function volcanoJobToBe(stage: TrainingStage, example: string, phase: string): Promise<VolcanoJob> {
  await installCrd(stage.client, crdFor(volcanoJobDefinition));
  const manifest = await stage.example<VolcanoJob>(`../volcano/${example}`);
  await stage.client.create(VOLCANO_JOBS, manifest);
  const phaseOf = ({ status }: VolcanoJob) => (status?.['state'] as { phase?: string } | undefined)?.phase;
  const { namespace, client } = stage;
  const pods = async () =>
    (await client.list(PODS, { namespace })).items.map(({ metadata, status }) => [metadata?.name, status]);
  return stage.objectToBe(VOLCANO_JOBS, manifest.metadata.name, (job) => phaseOf(job) === phase, pods);
}

/** The Job of that example when it has ended well. */
export function volcanoJobToComplete(stage: TrainingStage, example: string): Promise<VolcanoJob> {
  return volcanoJobToBe(stage, example, 'Completed');
}
