/**
 * A Prometheus on this machine that scrapes operators as if a chart had installed each of them as a release in its own namespace, and
 * evaluates the alerts of that release's chart.
 */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries, runCommand, type Progress } from '@muster/cluster';
import type { FrameworkName } from '@muster/job-api';
import { ensurePrometheus, startPrometheus, type PrometheusProcess } from '@muster/prometheus';
import { parse } from 'yaml';
import { chartFolder } from '../src/install-operators.ts';
import { PrometheusQueries } from './prometheus-queries.ts';

/** A chart installed as a release with the framework's name. */
export interface Release {
  readonly namespace: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export class PrometheusOfReleases extends PrometheusQueries {
  readonly #framework: FrameworkName;
  readonly #folder: string;
  readonly #process: PrometheusProcess;
  readonly #targets: object[] = [];

  private constructor(framework: FrameworkName, folder: string, process: PrometheusProcess) {
    super();
    this.#framework = framework;
    this.#folder = folder;
    this.#process = process;
  }

  /** Resolves when it responds. */
  static async start(
    framework: FrameworkName,
    releases: readonly Release[],
    progress: Progress,
  ): Promise<PrometheusOfReleases> {
    const [helm = ''] = await ensureBinaries(['helm'], progress);
    const { prometheus } = await ensurePrometheus(progress);
    const folder = await mkdtemp(join(tmpdir(), 'muster-releases-'));
    for (const release of releases) {
      await writeFile(join(folder, `${release.namespace}.rules`), await rulesOf(helm, framework, release));
    }
    await writeFile(join(folder, 'targets.json'), '[]');
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [join(folder, '*.rules')],
      scrape_configs: [
        {
          job_name: 'operators',
          file_sd_configs: [{ files: [join(folder, 'targets.json')], refresh_interval: '1s' }],
        },
      ],
    };
    const process = await startPrometheus(prometheus, JSON.stringify(config), AbortSignal.timeout(60_000));
    return new PrometheusOfReleases(framework, folder, process);
  }

  /**
   * Scrapes the operator from now on, as a pod of the release.
   *
   * @param every the interval, which is also the timeout
   */
  async scrape(url: URL, { namespace }: Pick<Release, 'namespace'>, every = '1s'): Promise<void> {
    const pod = `${this.#framework}-6c8d9b7f54-${String(this.#targets.length).padStart(5, 'x')}`;
    this.#targets.push({
      targets: [url.host],
      labels: { namespace, pod, __scrape_interval__: every, __scrape_timeout__: every },
    });
    const file = join(this.#folder, 'targets.json');
    await writeFile(`${file}.new`, JSON.stringify(this.#targets));
    await rename(`${file}.new`, file);
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    await rm(this.#folder, { recursive: true });
  }

  protected override async request<T>(what: string): Promise<T> {
    const response = await fetch(`${this.#process.url}/api/v1/${what}`);
    return ((await response.json()) as { data: T }).data;
  }
}

/** In the format of Prometheus' files. */
async function rulesOf(helm: string, framework: FrameworkName, { namespace, values }: Release): Promise<string> {
  const template = ['template', framework, chartFolder(framework), '--namespace', namespace, '--values', '-'];
  const only = ['--show-only', 'templates/alerts.yaml'];
  const input = JSON.stringify({ image: { repository: 'registry.example/operator' }, ...values });
  const { stdout } = await runCommand(helm, [...template, ...only], { input });
  return JSON.stringify((parse(stdout) as { spec: unknown }).spec);
}
