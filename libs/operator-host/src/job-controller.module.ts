/** Provides the `JobOperator` of a framework's adapters. `OperatorModule` starts and stops it. */
import type { FrameworkAdapter } from '@muster/common-job-controller';
import type { DynamicModule, FactoryProvider } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { jobOperatorProvider } from './job-operator.provider.ts';
import { FRAMEWORK_ADAPTERS, JOB_OPERATOR } from './tokens.ts';

export interface Framework {
  readonly adapters: readonly FrameworkAdapter[];
}

/** For adapters that depend on injected values, such as the operator's flags (`OPERATOR_CONFIG`). */
export type FrameworkFactory = Pick<
  FactoryProvider<readonly FrameworkAdapter[] | Promise<readonly FrameworkAdapter[]>>,
  'inject' | 'useFactory'
>;

@Module({})
export class JobControllerModule {
  static forFramework({ adapters }: Framework): DynamicModule {
    return JobControllerModule.forFrameworkAsync({ useFactory: () => adapters });
  }

  /** The factory may throw `ConfigError` for an invalid setting. */
  static forFrameworkAsync(framework: FrameworkFactory): DynamicModule {
    return {
      module: JobControllerModule,
      // The shell, which imports the app, injects the operator too.
      global: true,
      providers: [{ provide: FRAMEWORK_ADAPTERS, ...framework }, jobOperatorProvider],
      exports: [JOB_OPERATOR],
    };
  }
}
