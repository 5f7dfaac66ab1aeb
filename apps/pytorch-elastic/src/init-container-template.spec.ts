import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readInitContainerTemplate } from './init-container-template.ts';

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-template-'));
  file = join(folder, 'template.yaml');
});

afterAll(() => rm(folder, { recursive: true }));

async function read(content: string) {
  await writeFile(file, content);
  return readInitContainerTemplate({ file, image: 'registry.example/wait:1', maxTries: 7 });
}

describe('readInitContainerTemplate', () => {
  it.each([
    ['without quotes, as upstream writes them', ['{{.InitContainerImage}}', '{{.MasterAddr}}']],
    ['in quotes', ['"{{.InitContainerImage}}"', '"{{.MasterAddr}}"']],
    ['with spaces', ['{{ .InitContainerImage }}', '{{ .MasterAddr }}']],
  ])("fills the file's placeholders in, %s", async (_what, [image, master]) => {
    const template = await read(
      `- name: wait\n  image: ${image}\n  env: [{ name: TRIES, value: "{{.MaxTries}}" }]\n` +
        `  command: ['sh', '-c', 'until nslookup {{.MasterAddr}}; do sleep 2; done', ${master}]\n`,
    );
    const made = (address: string) => [
      {
        name: 'wait',
        image: 'registry.example/wait:1',
        env: [{ name: 'TRIES', value: '7' }],
        command: ['sh', '-c', `until nslookup ${address}; do sleep 2; done`, address],
      },
    ];
    expect(template('mnist-master-0', 'unused:1')).toEqual(made('mnist-master-0'));
    expect(template('other-master-0', 'unused:1')).toEqual(made('other-master-0'));
  });

  it("uses each worker's own image if the operator sets none", async () => {
    await writeFile(file, '- name: wait\n  image: {{.InitContainerImage}}\n');
    const template = await readInitContainerTemplate({ file, maxTries: 7 });
    for (const image of ['registry.example/train:1', 'registry.example/"$&:1'])
      expect(template('mnist-master-0', image)).toEqual([{ name: 'wait', image }]);
  });

  it.each([
    ['one container without a list', 'name: wait\nimage: a\n', ':1: expected a YAML list of containers'],
    ['an empty list', '[]\n', ':1: expected a YAML list of containers'],
    ['nothing', '', ':1: expected a YAML list of containers'],
    ['an entry that is not a container', '- name: wait\n  image: a\n- wait\n', ':3: expected a container'],
    ['a container without a name', '# no name\n- image: alpine\n', ':2: name: Required value'],
    ['a container without an image', '- name: wait\n', ':1: image: Required value: name the image'],
    [
      'a number instead of text, with the line of its container',
      '- name: wait\n  image: a\n- name: tries\n  image: a\n  env: [{ name: TRIES, value: {{.MaxTries}} }]\n',
      ':3: env[0].value: Invalid value: 7: must be of type string',
    ],
    [
      'an unknown placeholder',
      '- name: wait\n  image: {{.Image}}\n',
      ':2: {{.Image}} is unknown: use {{.MasterAddr}}, {{.InitContainerImage}} or {{.MaxTries}}',
    ],
    ['invalid YAML', '- name: wait\n  image: [\n', ':3: '],
    [
      'a boolean of YAML 1.1 instead of text',
      '- name: wait\n  image: a\n  env: [{ name: WAIT, value: on }]\n',
      ':1: env[0].value: Invalid value: true: must be of type string',
    ],
    ['a key that is there twice', '- name: wait\n  image: a\n  image: b\n', ':3: the key "image" occurs twice'],
  ])('refuses %s by flag, file and line', async (_what, content, expected) => {
    const message = await read(content).then(
      () => 'read',
      ({ message }: Error) => message,
    );
    expect(message).toContain(`--pytorch-init-container-template-file ${file}${expected}`);
    expect(message).not.toContain('\n');
  });

  it('reads numbers as kubectl does', async () => {
    const template = await read('- name: wait\n  image: a\n  securityContext: { runAsUser: 0400 }\n');
    expect(template('mnist-master-0', '')).toEqual([{ name: 'wait', image: 'a', securityContext: { runAsUser: 256 } }]);
  });

  it('reports in one line why a file cannot be read', async () => {
    const absent = { file: join(folder, 'absent'), image: 'a', maxTries: 1 };
    await expect(readInitContainerTemplate(absent)).rejects.toThrow(/absent: cannot be read: ENOENT[^\n]*$/);
  });
});
