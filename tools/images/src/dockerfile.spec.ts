/** The two descriptions of an operator's image: the Dockerfile for publishing, and the definition for local clusters. */
import { readFile } from 'node:fs/promises';

import { expect, it } from 'vitest';

import { operatorImage } from './definitions/operator.ts';

/** The definition as Dockerfile instructions, with the Dockerfile's arguments for framework and version. */
function instructionsOf({ layer, defaults }: ReturnType<typeof operatorImage>): string[] {
  if (layer.kind !== 'files' || defaults === undefined) throw new Error('an operator is files over Node.js');
  const assignments = (values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).map(([name, value]) => `${name}="${value}"`);
  return [
    ...assignments(defaults.labels).map((label) => `LABEL ${label}`),
    ...Object.entries(layer.files).map(([target, source]) => `COPY --chmod=755 ${source} ${target}`),
    ...assignments(defaults.env).map((variable) => `ENV ${variable}`),
    `WORKDIR ${defaults.workingDir}`,
    `USER ${defaults.user}`,
    `ENTRYPOINT ${JSON.stringify(defaults.entrypoint)}`,
    `CMD ${JSON.stringify(defaults.command)}`,
  ];
}

it('the Dockerfile has the same settings as the definition of operators, and no others', async () => {
  const text = await readFile(new URL('../../../Dockerfile', import.meta.url), 'utf8');
  const lines = text
    .replaceAll(/ \\\n +/g, '\nLABEL ')
    .split('\n')
    .filter((line) => line !== '' && !/^(#|ARG |FROM )/.test(line));
  const image = operatorImage({ framework: '${APP}', version: '${VERSION}', folder: 'dist/${APP}' });
  expect(lines).toEqual(instructionsOf(image));
});
