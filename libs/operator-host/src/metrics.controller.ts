import { metricsText } from '@muster/metrics';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { REGISTRY } from './tokens.ts';

/** The used part of the HTTP response, independent of the server's types. */
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
