import type { JobStatus, KubeObject, Resource } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { jobOf, SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import type { Commands } from '../contract/facets.ts';
import { ownerReference } from '../model/ownership.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { writesOf } from '../model/write.ts';

const COMMANDS_OF_TESTS: Resource = {
  ...{ group: 'test.muster.dev', version: 'v1', kind: 'Command', plural: 'commands', namespaced: true },
};

type Record = JobStatus & { readonly heard?: readonly string[] };

const COMMANDS: Commands = {
  kind: { resource: COMMANDS_OF_TESTS, endsWithRun: false, isFromOthers: true, trim: (object) => object },
  isOnRecord: (status, { metadata }) => (status as Record).heard?.includes(metadata?.uid ?? '') ?? false,
  follow: (status, { metadata }) => ({
    status: { ...status, heard: [...((status as Record).heard ?? []), metadata?.uid ?? ''] } as JobStatus,
    note: `heard ${metadata?.name}`,
    isIgnored: metadata?.name === 'odd',
  }),
};

const adapter = { ...plainAdapter({}), commands: COMMANDS };

function command(name: string, minute: number): KubeObject {
  const creationTimestamp = `2030-01-01T11:0${minute}:00Z`;
  const metadata = { name, namespace: 'team', uid: `uid-${name}`, creationTimestamp };
  return { metadata: { ...metadata, ownerReferences: [ownerReference(jobOf())] } };
}

function planWith(commands: readonly KubeObject[], heard: readonly string[] = []) {
  const ownedResources = commands.map((object) => ({ kind: COMMANDS.kind, object }));
  return planJob(adapter, { ...worldOf({ status: { heard } as JobStatus }), ownedResources }, SETTINGS);
}

const deleted = (plan: ReturnType<typeof planWith>) =>
  writesOf(plan, 'delete').map(({ object }) => object.metadata?.name);

describe('commands', () => {
  it('are executed one at a time, the oldest first, with no other writes in the same run', () => {
    const plan = planWith([command('later', 5), command('first', 1)]);
    expect(plan.status).toMatchObject({ status: { heard: ['uid-first'] } });
    expect(plan.events).toMatchObject([{ reason: 'CommandIssued', note: 'heard first' }]);
    expect(deleted(plan)).toEqual(['first']);
    expect(writesOf(plan, 'create')).toEqual([]);
  });

  it('that come before the first status give it a state, so that it does not look stripped', () => {
    expect(planWith([command('first', 1)]).status).toMatchObject({ status: { state: 'Created' } });
  });

  it('that are ignored are reported, recorded and deleted, too', () => {
    const plan = planWith([command('odd', 1)]);
    expect(plan.events).toMatchObject([{ type: 'Warning', reason: 'CommandIgnored' }]);
    expect(plan.status).toMatchObject({ status: { heard: ['uid-odd'] } });
    expect(deleted(plan)).toEqual(['odd']);
  });

  it('do not include other objects that the job owns', () => {
    const { kind } = COMMANDS;
    const other = { kind: { ...kind, resource: { ...COMMANDS_OF_TESTS, plural: 'others' } }, object: command('x', 0) };
    const commands = [command('first', 1)].map((object) => ({ kind, object }));
    const plan = planJob(adapter, { ...worldOf({}), ownedResources: [other, ...commands] }, SETTINGS);
    expect(plan.events).toMatchObject([{ note: 'heard first' }]);
    expect(deleted(plan)).toEqual(['first']);
  });

  it('that are recorded are only deleted, and block nothing', () => {
    const plan = planWith([command('first', 1)], ['uid-first']);
    expect(deleted(plan)).toEqual(['first']);
    expect(plan.events.filter((event) => event.reason.startsWith('Command'))).toEqual([]);
    expect(writesOf(plan, 'create').length).toBeGreaterThan(0);
  });

  it('are executed if they follow a recorded one', () => {
    const plan = planWith([command('first', 1), command('later', 5)], ['uid-first']);
    expect(plan.status).toMatchObject({ status: { heard: ['uid-first', 'uid-later'] } });
    expect(deleted(plan).toSorted()).toEqual(['first', 'later']);
  });
});
