/**
 * The life of an operator's process, in order: settings and logger, the container, HTTP, operator; on SIGTERM or SIGINT
 * the operator drains, then HTTP closes, then the process exits 0.
 *
 * Guarantees: a mistake of the person who started it (flag, file, port) is one line and exit status 1; an API server
 * that is away, a missing CRD or a missing permission is not: the process stays, says so on `/readyz` and goes on by
 * itself when that is mended.
 */
import 'reflect-metadata';
import type { Logger } from '@muster/kube';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { asksForHelp, helpText, loadConfig } from './config.ts';
import type { OperatorConfig } from './config.ts';
import type { FlagSet } from './flags.ts';
import { ConfigError } from './flags.ts';
import { OperatorLogger } from './operator-logger.ts';
import { OperatorModule } from './operator.module.ts';
import { ProbeHttpAdapter } from './probe-http-adapter.ts';

/** What makes one framework's microservice of the shell. */
export interface OperatorApp {
  /** As on the command line: `pytorch-elastic`. */
  readonly framework: string;
  /** The flags that only this framework has. */
  readonly flags: FlagSet;
  /** The app's root module: it imports `JobControllerModule`. */
  readonly module: Type;
}

/** Runs an operator until a signal ends the process. Returns when it is started, or when only help was asked for. */
export async function bootstrap({ framework, flags, module }: OperatorApp, argv: readonly string[]): Promise<void> {
  if (asksForHelp(argv)) {
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
