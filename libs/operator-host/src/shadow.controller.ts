/** The report of an operator in shadow mode. Like the metrics it has no authentication, so it has no values of a manifest and no messages. */
import type { JobOperator, ShadowReport } from '@muster/common-job-controller';
import { Controller, Get, Inject, NotFoundException, Req } from '@nestjs/common';
import { JOB_OPERATOR } from './tokens.ts';

@Controller()
export class ShadowController {
  readonly #operator: Pick<JobOperator, 'shadowReport'>;

  constructor(@Inject(JOB_OPERATOR) operator: JobOperator) {
    this.#operator = operator;
  }

  @Get('shadow')
  report(@Req() { url }: { readonly url: string }): ShadowReport {
    const namespace = new URL(url, 'http://operator').searchParams.get('namespace');
    const report = this.#operator.shadowReport?.(namespace ?? undefined);
    if (report === undefined) throw new NotFoundException('the operator does not run in shadow mode: set --shadow');
    return report;
  }
}
