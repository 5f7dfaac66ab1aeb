/** `/metrics` in Prometheus' text format, from the one registry of the process. */
import { metricsText } from '@muster/metrics';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { REGISTRY } from './tokens.ts';

/** The part of the HTTP response that is needed, so that nothing here depends on the server's own types. */
interface Response {
  setHeader(name: string, value: string): void;
  end(body: string): void;
}

@Controller()
export class MetricsController {
  readonly #registry: Registry;

  constructor(@Inject(REGISTRY) registry: Registry) {
    this.#registry = registry;
  }

  @Get('metrics')
  async metrics(@Res() response: Response): Promise<void> {
    const body = await metricsText(this.#registry);
    response.setHeader('Content-Type', this.#registry.contentType);
    response.end(body);
  }
}
