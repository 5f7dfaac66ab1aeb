import {
  crdFor,
  PODS,
  VOLCANO_COMMAND_CRD,
  VOLCANO_JOBS,
  volcanoJobDefinition,
  type VolcanoJob,
} from '@muster/job-api';
import { installCrd } from './install-crd.ts';
import type { TrainingFixture } from './training-fixture.ts';

/** Creates the Job of the example; returns it once it is in that phase. */
export async function volcanoJobToBe(stage: TrainingFixture, example: string, phase: string): Promise<VolcanoJob> {
  await installCrd(stage.client, crdFor(volcanoJobDefinition));
  await installCrd(stage.client, VOLCANO_COMMAND_CRD);
  const manifest = await stage.example<VolcanoJob>(`../volcano/${example}`);
  await stage.client.create(VOLCANO_JOBS, manifest);
  return volcanoPhaseToBe(stage, manifest.metadata.name, phase);
}

export function volcanoPhaseToBe(stage: TrainingFixture, name: string, phase: string): Promise<VolcanoJob> {
  const { namespace, client } = stage;
  const phaseOf = ({ status }: VolcanoJob) => (status?.['state'] as { phase?: string } | undefined)?.phase;
  const pods = async () =>
    (await client.list(PODS, { namespace })).items.map(({ metadata, status }) => [metadata?.name, status]);
  return stage.objectToBe(VOLCANO_JOBS, name, (job) => phaseOf(job) === phase, pods);
}

export function volcanoJobToComplete(stage: TrainingFixture, example: string): Promise<VolcanoJob> {
  return volcanoJobToBe(stage, example, 'Completed');
}
