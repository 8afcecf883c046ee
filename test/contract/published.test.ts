import { readdirSync, readFileSync } from 'node:fs';
import { HOUR_MS } from '../../src/kernel/spans.js';
import { Desk } from '../agent-assist/bots.js';
import { makeActiveAgent } from '../agents/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { type Answer, Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { differences, memberAt } from './published/differences.js';

/**
 * A request of clients of the published API, and what they read of its answer. README.md beside the shapes explains
 * them.
 */
interface Shape {
  row: number;
  says: string;
  steps: Step[];
}

interface Step {
  /** The caller. The default is the project's key. */
  as?: 'administrator' | 'anonymous';
  /** The verb, and the path with its query. */
  send: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** A body that is sent unchanged, with the content type of the headers. */
  rawBody?: string;
  status: number;
  answer?: unknown;
  /** The places in the answer of the values that later steps name in braces. */
  keep?: Record<string, string>;
}

const FOLDER = new URL('published/', import.meta.url);

const service = await startService();
afterAll(() => service.stop());

const shapes = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Shape[])
  .sort((a, b) => a.row - b.row);

it('has a shape for each row of the list of published requests', () => {
  expect([...new Set(shapes.map(({ row }) => row))]).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
});

it.each(shapes.map((shape) => [shape.row, shape.says, shape] as const))('row %i: %s', async (_, __, { steps }) => {
  const tenant = await makeTenant(service);
  const { agentId } = await makeActiveAgent(service, tenant);
  const desk = await Desk.open(service, tenant);
  const { projectId, appId, scopeName, key } = tenant;
  const known: Record<string, string> = { projectId, appId, scopeName, key, agentId, botId: desk.botId };
  known.anHourAgo = new Date(Date.now() - HOUR_MS).toISOString();
  known.inAnHour = new Date(Date.now() + HOUR_MS).toISOString();
  const callers = { administrator: administratorOf(service), anonymous: new Client(service.url) };

  for (const written of steps) {
    known.token = desk.token;
    const step = filled(written, known);
    const read = () => sent(step.as ? callers[step.as] : tenant.api, step, key);
    const answer = step.send.startsWith('GET ') ? await eventually(read, (each) => isAsSaid(step, each)) : await read();
    expect({ status: answer.status, differences: differences(step.answer, answer.body), text: answer.text }).toEqual({
      status: step.status,
      differences: [],
      text: answer.text,
    });
    for (const [name, path] of Object.entries(step.keep ?? {})) known[name] = String(memberAt(answer.body, path));
  }
});

function sent(client: Client, { send, headers, body, rawBody }: Step, key: string): Promise<Answer> {
  const [verb = '', path = ''] = send.split(' ');
  if (verb === 'GET' && rawBody !== undefined) return sentWithBody({ verb, path, headers, begin: rawBody, key });
  return client.send(verb, path, {
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    ...(rawBody !== undefined && { rawBody }),
  });
}

/** Node's own `fetch` sends no body with a GET. */
function sentWithBody({ headers = {}, ...request }: Parameters<typeof openRequest>[1]): Promise<Answer> {
  const length = String(Buffer.byteLength(request.begin));
  const open = openRequest(service.url, { ...request, headers: { ...headers, 'content-length': length } });
  open.finish();
  return open.answer;
}

const isAsSaid = ({ status, answer }: Step, read: Answer) =>
  read.status === status && differences(answer, read.body).length === 0;

/** Replaces each name in braces by its value. */
function filled(step: Step, known: Record<string, string>): Step {
  const text = JSON.stringify(step).replace(/\{(\w+)\}/g, (_, name: string) => {
    if (known[name] === undefined) throw new Error(`Nothing is known as {${name}}`);
    return known[name];
  });
  return JSON.parse(text) as Step;
}
