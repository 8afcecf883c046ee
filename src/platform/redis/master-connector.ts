import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import { LeadsToReplica } from './outages.js';

/** Whether a server that has become a replica refused a write. Older servers name the fault behind that of a script. */
export function isOfReplica({ message }: Error): boolean {
  return message.includes('READONLY');
}

/**
 * Connects to one server. A connection to a replica never becomes ready, so everything goes on as without Redis. It is
 * opened again until the server is a master.
 */
export class MasterConnector extends AbstractConnector {
  private report: (type: string, error: Error) => void = () => undefined;

  constructor(private readonly options: RedisOptions) {
    super(options.disconnectTimeout!);
  }

  async connect(report: (type: string, error: Error) => void): Promise<Socket> {
    this.report = report;
    const { host, port, tls } = this.options;
    const stream = tls ? connectTls({ host, port, ...tls }) : connect({ host, port: port! });
    stream.once('error', (error: Error) => (this.firstError = error));
    this.stream = stream;
    return stream;
  }

  /** Called for each command that a replica refuses, of which many may be under way. */
  override disconnect(): void {
    if (!this.stream?.writableEnded) super.disconnect();
  }

  /** Receives what the server says of itself. A user who may not ask that is believed until a write is refused. */
  override check({ role }: { role?: string }): boolean {
    if (role !== 'slave') return true;
    this.report('error', new LeadsToReplica());
    return false;
  }
}
