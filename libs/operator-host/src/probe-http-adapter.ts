/**
 * Nest's HTTP adapter for GET routes without parameters, answered with JSON or by the handler itself.
 *
 * express would take 10 MB of memory and a third of the start. Using an unsupported feature (parameters, bodies, views,
 * files, CORS) ends the process at its start.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { AbstractHttpAdapter } from '@nestjs/core';

/** Nest's handlers write the response, also for errors. */
type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export class ProbeHttpAdapter extends AbstractHttpAdapter<Server, IncomingMessage, ServerResponse> {
  readonly #routes = new Map<string, Handler>();
  #notFound: Handler | undefined;

  constructor() {
    const server = createServer();
    super(server);
    server.on('request', this.#answer);
  }

  override get(path: string | Handler, handler?: Handler): void {
    if (typeof path !== 'string' || handler === undefined) unsupported('a route for all paths');
    if (/[:*{(]/.test(path)) unsupported(`the path ${path}`);
    this.#routes.set(path, handler);
  }

  initHttpServer(): void {
    this.setHttpServer(this.getInstance());
  }

  /** Cuts open connections; otherwise idle ones would delay the close. */
  close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const server = this.getHttpServer();
    // A server that never listened is closed already.
    server.close(() => resolve());
    server.closeAllConnections();
    return promise;
  }

  readonly #answer: RequestListener = (request, response) => {
    const handler = isReading(request) ? this.#routes.get(pathOf(request)) : undefined;
    void (handler ?? this.#notFound)?.(request, response);
  };

  setNotFoundHandler(handler: Handler): void {
    this.#notFound = handler;
  }

  /** Nest's handlers catch all errors. */
  setErrorHandler(): void {}

  reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    if (statusCode !== undefined) response.statusCode = statusCode;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.end(JSON.stringify(body));
  }

  status(response: ServerResponse, statusCode: number): void {
    response.statusCode = statusCode;
  }

  end(response: ServerResponse, message?: string): void {
    response.end(message);
  }

  isHeadersSent(response: ServerResponse): boolean {
    return response.headersSent;
  }

  getHeader(response: ServerResponse, name: string): unknown {
    return response.getHeader(name);
  }

  setHeader(response: ServerResponse, name: string, value: string): void {
    response.setHeader(name, value);
  }

  appendHeader(response: ServerResponse, name: string, value: string): void {
    response.appendHeader(name, value);
  }

  getRequestHostname(request: IncomingMessage): string | undefined {
    return request.headers.host;
  }

  getRequestMethod(request: IncomingMessage): string | undefined {
    return request.method;
  }

  getRequestUrl(request: IncomingMessage): string | undefined {
    return request.url;
  }

  getType(): string {
    return 'probes';
  }

  // Unused features of Nest.
  override use(): never {
    unsupported('middleware');
  }
  override post(): never {
    unsupported('POST');
  }
  override put(): never {
    unsupported('PUT');
  }
  override patch(): never {
    unsupported('PATCH');
  }
  override delete(): never {
    unsupported('DELETE');
  }
  override all(): never {
    unsupported('a route for all methods');
  }
  registerParserMiddleware(): never {
    unsupported('a body (set bodyParser: false)');
  }
  createMiddlewareFactory(): never {
    unsupported('middleware');
  }
  applyVersionFilter(): never {
    unsupported('versions');
  }
  enableCors(): never {
    unsupported('CORS');
  }
  useStaticAssets(): never {
    unsupported('files');
  }
  setViewEngine(): never {
    unsupported('views');
  }
  render(): never {
    unsupported('views');
  }
  redirect(): never {
    unsupported('redirects');
  }
}

/** HEAD is GET without the body, which Node omits. */
function isReading({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Without the query and a trailing slash. */
function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/[?#].*$/, '').replace(/(?<=.)\/$/, '');
}

function unsupported(what: string): never {
  throw new Error(`this HTTP adapter does not support ${what}: it serves GET routes without parameters`);
}
