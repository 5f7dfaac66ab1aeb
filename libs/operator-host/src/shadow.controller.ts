/** The report of an operator in shadow mode. Like the metrics it has no authentication, so it has no values of a manifest and no messages. */
import type { JobOperator } from '@muster/common-job-controller';
import type { ShadowOperator, ShadowReport } from '@muster/shadow';
import { Controller, Get, Inject, NotFoundException, Req } from '@nestjs/common';
import { JOB_OPERATOR } from './tokens.ts';

@Controller()
export class ShadowController {
  readonly #operator: JobOperator | ShadowOperator;

  constructor(@Inject(JOB_OPERATOR) operator: JobOperator | ShadowOperator) {
    this.#operator = operator;
  }

  @Get('shadow')
  report(@Req() { url }: { readonly url: string }): ShadowReport {
    if (!('shadowReport' in this.#operator)) {
      throw new NotFoundException('the operator does not run in shadow mode: set --shadow');
    }
    const namespace = new URL(url, 'http://operator').searchParams.get('namespace');
    return this.#operator.shadowReport(namespace ?? undefined);
  }
}
