/**
 * The controller of a framework's jobs, made by the container out of the framework's adapters, the cluster's clients and
 * the process's settings. The shell (`OperatorModule`) starts and stops it and answers for it.
 */
import type { FrameworkAdapter } from '@muster/common-job-controller';
import type { DynamicModule, FactoryProvider } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { jobOperatorProvider } from './job-operator.provider.ts';
import { FRAMEWORK_ADAPTERS, JOB_OPERATOR } from './tokens.ts';

/** What a framework brings: an adapter for each kind of job that its operator runs. */
export interface Framework {
  readonly adapters: readonly FrameworkAdapter[];
}

/** The same where the adapters depend on what can be injected, as on the operator's flags (`OPERATOR_CONFIG`). */
export type FrameworkFactory = Pick<
  FactoryProvider<readonly FrameworkAdapter[] | Promise<readonly FrameworkAdapter[]>>,
  'inject' | 'useFactory'
>;

@Module({})
export class JobControllerModule {
  static forFramework({ adapters }: Framework): DynamicModule {
    return JobControllerModule.forFrameworkAsync({ useFactory: () => adapters });
  }

  /** The factory throws `ConfigError` where a setting turns out to be wrong only now. */
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
