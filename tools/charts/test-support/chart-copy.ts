/** A copy of a chart that a test can change. */
import { cp, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chartFolder } from './helm.ts';

export class ChartCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async of(chart: string): Promise<ChartCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'muster-chart-'));
    await cp(chartFolder(chart), folder, { recursive: true, dereference: true });
    return new ChartCopy(folder);
  }

  /** Moves its kinds to another API group, so that they do not affect other tests. */
  async moveTo(group: string, from: string): Promise<void> {
    const crds = join(this.folder, 'files/crds');
    for (const file of await readdir(crds)) {
      await this.replace(`files/crds/${file}`, from, group);
      await rename(join(crds, file), join(crds, file.replace(from, group)));
    }
    await this.replace('files/permissions.yaml', from, group);
  }

  /** Replaces all occurrences of a text in the file. Throws if there are none. */
  async replace(file: string, from: string, to: string): Promise<void> {
    const path = join(this.folder, file);
    const text = await readFile(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`);
    await writeFile(path, text.replaceAll(from, to));
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
