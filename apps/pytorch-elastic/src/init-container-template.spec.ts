import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readInitContainerTemplate } from './init-container-template.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-template-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function read(content: string) {
  const file = join(folder, 'template.yaml');
  await writeFile(file, content);
  return readInitContainerTemplate(file);
}

describe('readInitContainerTemplate', () => {
  it('reads a YAML list of containers, placeholders and all', async () => {
    expect(
      await read('- name: wait\n  image: "{{.InitContainerImage}}"\n  command: [wait-for, "{{.MasterAddr}}"]\n'),
    ).toEqual([{ name: 'wait', image: '{{.InitContainerImage}}', command: ['wait-for', '{{.MasterAddr}}'] }]);
  });

  it.each([
    ['one container without a list', 'name: wait\n'],
    ['an empty list', '[]\n'],
    ['a container without a name', '- image: alpine\n'],
    ['nothing', ''],
  ])('refuses %s by the name of the flag', async (_what, content) => {
    await expect(read(content)).rejects.toThrow(
      /^--pytorch-init-container-template-file .*: expected a YAML list of containers, each with a name\.$/,
    );
  });

  it('says in one line why a file cannot be read', async () => {
    await expect(readInitContainerTemplate(join(folder, 'absent'))).rejects.toThrow(
      /absent: cannot be read: ENOENT[^\n]*$/,
    );
    await expect(read('- name: [\n')).rejects.toThrow(/cannot be read: [^\n]+$/);
  });
});
