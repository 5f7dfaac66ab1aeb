/** `/metrics` in Prometheus' text format, from the one registry of the process. */
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { OperatorRuntime } from './operator-runtime.ts';
import { OPERATOR_RUNTIME } from './tokens.ts';

/** The part of the HTTP response that is needed, so that nothing here depends on the server's own types. */
interface Response {
  setHeader(name: string, value: string): void;
  end(body: string): void;
}

@Controller()
export class MetricsController {
  readonly #runtime: OperatorRuntime;

  constructor(@Inject(OPERATOR_RUNTIME) runtime: OperatorRuntime) {
    this.#runtime = runtime;
  }

  @Get('metrics')
  async metrics(@Res() response: Response): Promise<void> {
    const { registry } = this.#runtime;
    const body = await registry.metrics();
    response.setHeader('Content-Type', registry.contentType);
    response.end(body);
  }
}
