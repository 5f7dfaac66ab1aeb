/** Checks that a test runs each command of each runbook. */
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CHECKS } from '../test-support/runbook-checks.ts';
import { checkOf, fill, operatorNames, runbookCommands } from '../test-support/runbook.ts';

const PAGES = globSync('Muster*.md', { cwd: join(import.meta.dirname, '../../../docs/administrators/runbooks') }).map(
  (page) => basename(page, '.md'),
);

it.each(PAGES)('a test checks each command of %s', (alert) => {
  const { commands, queries } = runbookCommands(alert);
  expect(commands.length + queries.length).toBeGreaterThan(0);
  expect(commands.filter((command) => checkOf(alert, command) === undefined)).toEqual([]);
});

it('has a command for each check', () => {
  const used = new Set(PAGES.flatMap((alert) => runbookCommands(alert).commands.map((each) => checkOf(alert, each))));
  expect(CHECKS.filter((check) => !used.has(check)).map(({ command }) => String(command))).toEqual([]);
});

it('finds commands in blocks and in running text, without comments', () => {
  const { commands, queries } = runbookCommands('MusterReconcileDefects');
  expect(commands).toContain('muster why <job> -n <namespace>');
  expect(commands).toContain('helm -n $NS rollback $RELEASE');
  expect(queries).toEqual(['muster_jobs_waiting{reason="PlanningFailed"}']);
});

it('rejects a command with a placeholder that has no value', () => {
  expect(fill('kubectl -n $NS get pod <pod>', { $NS: 'ops', '<pod>': 'one' })).toBe('kubectl -n ops get pod one');
  expect(() => fill('kubectl -n $NS get pod <pod>', { $NS: 'ops' })).toThrow('<pod> has no value');
});

it('finds the Deployment and the pods of a release by the commands of the index', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-runbook-index-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'kubectl'), '#!/bin/sh\nprintf "%s\\n" "$*"\n', { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  expect(await operatorNames({ namespace: 'ops', release: 'mine' }, { env, folder })).toEqual({
    $DEPLOY: '-n ops get deployments -l app.kubernetes.io/instance=mine -o jsonpath={.items[*].metadata.name}',
    $OPERATOR: 'app.kubernetes.io/component=operator,app.kubernetes.io/instance=mine',
  });
});

it('has the namespace of the install page as the example of its index', () => {
  const read = (page: string) => readFileSync(join(import.meta.dirname, '../../../docs/administrators', page), 'utf8');
  const [, installed] = /helm install .*--namespace (\S+)/.exec(read('install.md')) ?? [];
  const [, example] = /^NS=(\S+)/m.exec(read('runbooks/README.md')) ?? [];
  expect(installed).toBeDefined();
  expect(example).toBe(installed);
});
