import type { HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

/** What an indicator answers: down with its problems, one line each, or up where there is none. */
export function upUnless(
  problems: readonly string[],
  indicator: ReturnType<HealthIndicatorService['check']>,
): HealthIndicatorResult {
  return problems.length === 0 ? indicator.up() : indicator.down({ problems });
}
