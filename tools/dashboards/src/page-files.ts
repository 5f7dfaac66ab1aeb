/** Script and style of the page, bundled in memory from the source. */
import { join } from 'node:path';
import { build, stop } from 'esbuild';

const PACKAGE = join(import.meta.dirname, '..');

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Muster dashboards</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/page.css" />
  </head>
  <body>
    <script type="module" src="/page.js"></script>
  </body>
</html>
`;

export interface PageFile {
  readonly type: string;
  readonly content: string;
}

/** By path. `/` is the HTML of all paths of the page. */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const { outputFiles } = await build({
    absWorkingDir: PACKAGE,
    entryPoints: { page: 'page/main.ts' },
    outdir: '/',
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'inline',
    logLevel: 'error',
  });
  await stop();
  const output = (name: string) => outputFiles.find(({ path }) => path.endsWith(name))?.text ?? '';
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', content: HTML }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', content: output('page.js') }],
    ['/page.css', { type: 'text/css; charset=utf-8', content: output('page.css') }],
  ]);
}
