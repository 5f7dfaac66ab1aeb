/**
 * The life of an operator process: settings and logger, the container, HTTP, the operator. On SIGTERM or SIGINT the
 * operator drains, then HTTP closes, then the process exits 0.
 *
 * A configuration error (flag, file, port) is one line and exit status 1. Without an API server, a CRD or a permission
 * the process stays up, reports it on `/readyz`, and continues when it is available.
 */
import 'reflect-metadata';
import type { Logger } from '@muster/kube';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { isHelpRequested, helpText, loadConfig } from './config.ts';
import type { OperatorConfig } from './config.ts';
import type { FlagSet } from './flags.ts';
import { ConfigError } from './flags.ts';
import { OperatorLogger } from './operator-logger.ts';
import { OperatorModule } from './operator.module.ts';
import { ProbeHttpAdapter } from './probe-http-adapter.ts';

export interface OperatorApp {
  /** As on the command line: `pytorch-elastic`. */
  readonly framework: string;
  /** Flags of this framework only. */
  readonly flags: FlagSet;
  /** The app's root module, which imports `JobControllerModule`. */
  readonly module: Type;
}

/** Returns when the operator is started, or after printing help. */
export async function bootstrap({ framework, flags, module }: OperatorApp, argv: readonly string[]): Promise<void> {
  if (isHelpRequested(argv)) {
    process.stdout.write(helpText(framework, flags));
    return;
  }
  const config = configOrExit(flags, argv);
  const logger = new OperatorLogger({ level: config.logLevel, format: config.logFormat });
  process.on('uncaughtException', (error) => fail(logger, error));
  try {
    const root = OperatorModule.forApp(module, { framework, config, logger });
    const options = { logger, bodyParser: false, abortOnError: false };
    const nest = await NestFactory.create(root, new ProbeHttpAdapter(), options);
    nest.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
    await nest.init();
  } catch (error) {
    fail(logger, error);
  }
}

function configOrExit(flags: FlagSet, argv: readonly string[]): OperatorConfig {
  try {
    return loadConfig(flags, argv);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function fail(logger: Logger, error: unknown): never {
  if (error instanceof ConfigError) logger.error(error.message);
  else logger.error('the operator crashed', { error });
  process.exit(1);
}
