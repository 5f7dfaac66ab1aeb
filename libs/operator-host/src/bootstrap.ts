/**
 * The life of an operator's process, in order: settings, logger, cluster, Nest, HTTP, operator; on SIGTERM or SIGINT the
 * operator drains, then HTTP closes, then the process exits 0.
 *
 * Guarantees: a mistake of the person who started it (flag, file, port) is one line and exit status 1; an API server
 * that is away, a missing CRD or a missing permission is not: the process stays, says so on `/readyz` and goes on by
 * itself when that is mended.
 */
import 'reflect-metadata';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { Logger } from '@muster/kube';
import { CredentialError, createKubeClient, loadCluster } from '@muster/kube';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
// Not the package's index, which loads file uploads as well.
import { ExpressAdapter } from '@nestjs/platform-express/adapters/express-adapter.js';
import packageJson from '../package.json' with { type: 'json' };
import { asksForHelp, helpText, loadConfig, OPERATOR_FLAGS } from './config.ts';
import type { OperatorConfig } from './config.ts';
import type { FlagSet } from './flags.ts';
import { ConfigError } from './flags.ts';
import { OperatorLifecycle } from './operator-lifecycle.ts';
import { OperatorLogger } from './operator-logger.ts';
import type { OperatorRuntime } from './operator-runtime.ts';
import { processRegistry } from './process-metrics.ts';
import { guardShutdown } from './shutdown-guard.ts';

/** What makes one framework's microservice of the shell. */
export interface OperatorApp<F extends FlagSet> {
  /** As on the command line: `pytorch-elastic`. */
  readonly framework: string;
  /** The flags that only this framework has. */
  readonly flags: F;
  /** The app's root module. Throws `ConfigError` where a setting turns out to be wrong only now. */
  module(runtime: OperatorRuntime<F>): DynamicModule | Promise<DynamicModule>;
}

/** Runs an operator until a signal ends the process. Returns when it is started, or when only help was asked for. */
export async function bootstrap<F extends FlagSet>(
  app: OperatorApp<F>,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (asksForHelp(argv)) {
    process.stdout.write(helpText(app.framework, app.flags));
    return;
  }
  let config: OperatorConfig<F>;
  try {
    config = loadConfig(app.flags, argv, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  const logger = new OperatorLogger({ level: config.logLevel, format: config.logFormat });
  process.on('uncaughtException', (error) => fail(logger, error));
  try {
    await run(app, config, logger);
  } catch (error) {
    fail(logger, error);
  }
}

async function run<F extends FlagSet>(
  app: OperatorApp<F>,
  config: OperatorConfig<F>,
  logger: OperatorLogger,
): Promise<void> {
  const { framework } = app;
  const registry = processRegistry(framework);
  const access = await loadCluster(given({ kubeconfig: config.kubeconfig, context: config.context }));
  const userAgent = `muster-${framework}/${packageJson.version}`;
  const runtime: OperatorRuntime<F> = {
    framework,
    config,
    // One connection for the watch on the Lease and one for its renewals.
    leaseClient: createKubeClient(access, { userAgent, logger, connections: 2 }),
    client: createKubeClient(access, {
      userAgent,
      registry,
      logger,
      qps: config.kubeApiQps,
      ...given({ burst: config.kubeApiBurst }),
    }),
    ownNamespace: access.namespace,
    registry,
    logger,
    onLeadershipLost: () => process.exit(1),
  };
  // Connections would otherwise be waited for until they have asked something, for a minute.
  const options = { logger, bodyParser: false, abortOnError: false, forceCloseConnections: true };
  const nest = await NestFactory.create(await app.module(runtime), new ExpressAdapter(), options);
  const lifecycle = nest.get(OperatorLifecycle);
  guardShutdown({ timeoutMs: config.shutdownTimeoutMs, waitingFor: () => lifecycle.waitingFor, logger });
  nest.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  const port = await listen(nest, config.port, config.host);
  logger.info('listening', { port, framework, cluster: access.server });
  await lifecycle.start();
}

/** Without the settings that were not given. */
function given<T extends object>(settings: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

/** Not Nest's own `listen`: that logs a port in use by itself, as a stack trace, before it throws. */
async function listen(nest: INestApplication, port: number, host: string | undefined): Promise<number> {
  await nest.init();
  const server = nest.getHttpServer() as Server;
  server.listen({ port, ...(host === undefined ? {} : { host }) });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ConfigError(cannotListen(error as NodeJS.ErrnoException, port, host), { cause: error });
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function cannotListen(error: NodeJS.ErrnoException, port: number, host: string | undefined): string {
  const flag = `--${OPERATOR_FLAGS.port.name} ${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${flag}: the port is in use; choose another (0 takes any free one).`;
    case 'EACCES':
      return `${flag}: this user may not open the port; choose one above 1023.`;
    default:
      return `--${OPERATOR_FLAGS.host.name} ${host ?? ''}: cannot listen there: ${error.message}.`;
  }
}

function fail(logger: Logger, error: unknown): never {
  if (error instanceof ConfigError || error instanceof CredentialError) logger.error(error.message);
  else logger.error('the operator crashed', { error });
  process.exit(1);
}
