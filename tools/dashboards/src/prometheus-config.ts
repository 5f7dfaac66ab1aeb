/** Configuration of a Prometheus that scrapes operators. JSON is valid YAML. */
export interface ScrapeSources {
  /** Base URLs of operators, such as `http://127.0.0.1:8080`. */
  readonly addresses: readonly URL[];
  /** HTTP service discovery of further operators. */
  readonly targetsUrl?: string | undefined;
  /** Whole seconds, such as `5s`. */
  readonly scrapeInterval: string;
}

export function prometheusConfig({ addresses, targetsUrl, scrapeInterval }: ScrapeSources): string {
  const byAddress = addresses.map((address, index) => ({
    job_name: `muster-${index}`,
    scheme: address.protocol.replace(':', ''),
    metrics_path: `${address.pathname.replace(/\/$/, '')}/metrics`,
    static_configs: [{ targets: [address.host], labels: { job: 'muster', pod: address.host } }],
  }));
  const discovered = {
    job_name: 'muster',
    http_sd_configs: [{ url: targetsUrl, refresh_interval: scrapeInterval }],
  };
  return JSON.stringify({
    global: { scrape_interval: scrapeInterval, scrape_timeout: scrapeInterval },
    scrape_configs: [...byAddress, ...(targetsUrl === undefined ? [] : [discovered])],
  });
}
