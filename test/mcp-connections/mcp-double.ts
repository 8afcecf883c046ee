import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { McpServer, type RegisteredTool, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Arrived, type FetchServer, startFetchServer } from './fetch-server.js';

/** The ways in which the double misbehaves. */
export type Fault =
  'hang' | 'large' | 'redirect' | 'sign-in' | 'forbidden' | 'status' | 'html' | 'hangup' | 'cut' | 'gone';

interface Received {
  verb: string;
  /** The session that the answer is part of, or that it begins. */
  session?: string | undefined;
  method: string;
  headers: IncomingHttpHeaders;
}

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  tools: Map<string, RegisteredTool>;
}

/** Data that no text repeats, beside a sound and a resource with an address that is much too long. */
const MEDIA = {
  content: [
    { type: 'audio' as const, mimeType: 'audio/wav', data: 'AAAA' },
    { type: 'resource' as const, resource: { uri: `file:///${'x'.repeat(10_000)}`, blob: 'AAA=' } },
  ],
  structuredContent: { n: 7 },
};

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

/** A server made with the official SDK, on a real socket. It can misbehave, too. */
export class McpDouble {
  readonly received: Received[] = [];
  /** The method of the protocol at which the fault occurs, such as `tools/call`. */
  readonly faults = new Map<string, Fault>();
  /** The tools that new sessions lack. */
  readonly without = new Set<string>();
  private readonly all: Session[] = [];
  private readonly sessions = new Map<string, Session>();

  private server!: FetchServer;

  private constructor(
    private readonly asJson: boolean,
    /** The description of the tool `echo`. */
    private readonly description: string,
  ) {}

  static async start({ asJson = false, description = 'Repeats a text.' } = {}): Promise<McpDouble> {
    const double = new McpDouble(asJson, description);
    double.server = await startFetchServer((request, arrived) => double.answer(request, arrived));
    return double;
  }

  get url(): string {
    return this.server.url;
  }

  times(method: string): number {
    return this.received.filter((one) => one.method === method).length;
  }

  /** Ends all sessions, as a server does that restarts. */
  forgetSessions(): void {
    this.sessions.clear();
  }

  /** Takes a tool away from the sessions that are open. */
  removeFromSessions(name: string): void {
    for (const { tools } of this.sessions.values()) tools.get(name)!.remove();
  }

  /** Lets the process end while the server runs. */
  unref(): void {
    this.server.unref();
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map(({ transport }) => transport.close()));
    await this.server.stop();
  }

  private async answer(request: Request, { verb, method, headers, response }: Arrived): Promise<Response | undefined> {
    const received: Received = { verb, method, headers };
    this.received.push(received);
    const fault = this.faults.get(method);
    if (fault) return void misbehave(fault, response);
    const id = headers['mcp-session-id'] as string | undefined;
    const session = id === undefined ? await this.newSession() : this.sessions.get(id);
    if (!session) return new Response(null, { status: 404 });
    const answer = await session.transport.handleRequest(request);
    received.session = answer.headers.get('mcp-session-id') ?? id;
    return answer;
  }

  private async newSession(): Promise<Session> {
    const server = new McpServer({ name: 'double', version: '1' });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: this.asJson,
      onsessioninitialized: (id) => void this.sessions.set(id, session),
    });
    const session = { transport, tools: this.addTools(server) };
    for (const name of this.without) session.tools.get(name)!.remove();
    this.all.push(session);
    await server.connect(transport);
    return session;
  }

  private addTools(server: McpServer): Map<string, RegisteredTool> {
    let calls = 0;
    const { description } = this;
    const echo = { description, inputSchema: z.object({ text: z.string() }) };
    const without = (description: string) => ({ description, inputSchema: z.object({}) });
    const last = () => this.received.at(-1)!.headers;
    return new Map([
      ['echo', server.registerTool('echo', echo, async (input) => text(`Echo: ${input.text}`))],
      ['count', server.registerTool('count', without('Counts calls.'), async () => text(`Call ${(calls += 1)}`))],
      [
        'tell.headers',
        server.registerTool('tell.headers', without('Tells.'), async () => text(JSON.stringify(last()))),
      ],
      ['media', server.registerTool('media', without('Shows.'), async () => MEDIA)],
      ['large', server.registerTool('large', without('Says much.'), async () => text('x'.repeat(10 * 1024 * 1024)))],
      [
        'fail',
        server.registerTool('fail', without('Fails.'), async () => ({ ...text('No such issue.'), isError: true })),
      ],
      [
        'data',
        server.registerTool('data', without('Has data.'), async () => ({ content: [], structuredContent: { n: 7 } })),
      ],
    ]);
  }
}

function misbehave(fault: Fault, response: ServerResponse): void {
  switch (fault) {
    case 'hang':
      return;
    case 'hangup':
      response.destroy();
      return;
    case 'redirect':
      response.writeHead(307, { location: 'http://169.254.169.254/mcp' }).end();
      return;
    case 'sign-in':
      response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1/meta"' }).end();
      return;
    case 'forbidden':
      response.writeHead(403).end();
      return;
    case 'status':
      response.writeHead(500).end('a stack trace that nobody should see');
      return;
    case 'gone':
      response.writeHead(404).end();
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>');
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing follows\n\n');
      return;
    case 'large':
      response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(10 * 1024 * 1024)}"`);
      return;
  }
}
