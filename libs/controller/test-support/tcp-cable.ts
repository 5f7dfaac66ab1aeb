/** A TCP proxy that can be cut: then nothing passes and nothing is refused, as in a broken network. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export class TcpCable {
  #target: URL;
  #server = createServer((client) => this.#join(client));
  #sockets = new Set<Socket>();
  #pulled = false;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#target.protocol}//127.0.0.1:${port}`;
  }

  pull(): void {
    this.#pulled = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(client: Socket): void {
    this.#keep(client);
    if (this.#pulled) return;
    const server = connect(Number(this.#target.port), this.#target.hostname);
    this.#keep(server);
    client.pipe(server);
    server.pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    // Cut connections are expected.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
