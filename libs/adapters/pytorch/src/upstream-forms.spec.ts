/**
 * Manifests in the forms that Kubeflow's users have, object for object. The files in `golden/upstream-forms` were compared
 * by hand with Kubeflow's rules: mode PerReplica is theirs to the letter but for what docs/differences.md lists, mode
 * PerJob differs by its Services and the names in DNS. `vitest -u` writes them anew; read the difference before you keep it.
 */
import { problemsOf, pytorchJobDefinition, SERVICE_MODES } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { objectsOf, UPSTREAM_FORMS } from '../test-support/upstream-forms.ts';

const IDENTITY = { uid: '11111111-2222-3333-4444-555555555555', namespace: 'team' };

describe.each([...UPSTREAM_FORMS])('upstream form %s', (name, form) => {
  it('has no problem', () => {
    expect(problemsOf(pytorchJobDefinition, form)).toEqual([]);
  });

  it.each(SERVICE_MODES)('gets its objects in mode %s', async (serviceMode) => {
    const documents = objectsOf(form, IDENTITY, serviceMode).map((object) =>
      stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' }),
    );
    const golden = `../golden/upstream-forms/${name}.${serviceMode}.objects.yaml`;
    await expect(documents.join('---\n')).toMatchFileSnapshot(golden);
  });
});
