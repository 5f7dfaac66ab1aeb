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
export async function volcanoJobToBe(fixture: TrainingFixture, example: string, phase: string): Promise<VolcanoJob> {
  await installCrd(fixture.client, crdFor(volcanoJobDefinition));
  await installCrd(fixture.client, VOLCANO_COMMAND_CRD);
  const manifest = await fixture.example<VolcanoJob>(`../volcano/${example}`);
  await fixture.client.create(VOLCANO_JOBS, manifest);
  return volcanoPhaseToBe(fixture, manifest.metadata.name, phase);
}

export function volcanoPhaseToBe(fixture: TrainingFixture, name: string, phase: string): Promise<VolcanoJob> {
  const { namespace, client } = fixture;
  const phaseOf = ({ status }: VolcanoJob) => (status?.['state'] as { phase?: string } | undefined)?.phase;
  const pods = async () =>
    (await client.list(PODS, { namespace })).items.map(({ metadata, status }) => [metadata?.name, status]);
  return fixture.objectToBe(VOLCANO_JOBS, name, (job) => phaseOf(job) === phase, pods);
}

export function volcanoJobToComplete(fixture: TrainingFixture, example: string): Promise<VolcanoJob> {
  return volcanoJobToBe(fixture, example, 'Completed');
}
