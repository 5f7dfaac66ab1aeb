/**
 * Opens the port before the operator starts, so a port in use ends the process before it sends a request to the
 * cluster. Nest's own `listen` starts the operator first, and logs a port in use as a stack trace.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { ClusterAccess, Logger } from '@muster/kube';
import type { OnModuleInit } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { OperatorConfig } from './config.ts';
import { OPERATOR_FLAGS } from './config.ts';
import { ConfigError } from './flags.ts';
import { CLUSTER_ACCESS, FRAMEWORK, LOGGER, OPERATOR_CONFIG } from './tokens.ts';

@Injectable()
export class HttpListener implements OnModuleInit {
  readonly #http: HttpAdapterHost;
  readonly #config: OperatorConfig;
  readonly #framework: string;
  readonly #access: ClusterAccess;
  readonly #logger: Logger;

  constructor(
    @Inject(HttpAdapterHost) http: HttpAdapterHost,
    @Inject(OPERATOR_CONFIG) config: OperatorConfig,
    @Inject(FRAMEWORK) framework: string,
    @Inject(CLUSTER_ACCESS) access: ClusterAccess,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#http = http;
    this.#config = config;
    this.#framework = framework;
    this.#access = access;
    this.#logger = logger;
  }

  /** Throws `ConfigError` if it cannot listen. */
  async onModuleInit(): Promise<void> {
    const { port, host } = this.#config;
    const server = this.#http.httpAdapter.getHttpServer() as Server;
    server.listen({ port, ...(host !== undefined && { host }) });
    try {
      await once(server, 'listening');
    } catch (error) {
      throw new ConfigError(cannotListen(error as NodeJS.ErrnoException, port, host), { cause: error });
    }
    const address = server.address();
    this.#logger.info('listening', {
      port: typeof address === 'object' && address !== null ? address.port : port,
      framework: this.#framework,
      cluster: this.#access.server,
    });
  }
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
