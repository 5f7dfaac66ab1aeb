import type { HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

export function upUnless(
  problems: readonly string[],
  indicator: ReturnType<HealthIndicatorService['check']>,
): HealthIndicatorResult {
  return problems.length === 0 ? indicator.up() : indicator.down({ problems });
}
