import type { DockJobState } from '../../dock-job.js';
import type { Slipway } from '../../slipway.js';
import { countOf, UsageError, type Command, type Invocation } from '../command.js';
import { table } from '../table.js';

const STATES = ['IN_PROGRESS', 'SUCCESS', 'FAILED'] as const;

export const jobs: Command = {
  summary: 'Shows imports, exports and deployments, and follows one until it ends.',
  usage: [
    'slipway jobs [--status IN_PROGRESS|SUCCESS|FAILED] [--limit 20]      needs SLIPWAY_ADMIN_KEY',
    'slipway jobs JOB_ID [--follow]',
  ].join('\n'),
  options: { status: { type: 'string' }, limit: { type: 'string' }, follow: { type: 'boolean' } },
  async run(call) {
    const [id] = call.words;
    if (id === undefined) return list(call);
    const slipway = await call.slipway();
    if (call.isSet('follow')) return follow(slipway, id, call);
    show(await slipway.jobs.read(id), call);
  },
};

async function list(call: Invocation): Promise<void> {
  const status = STATES.find((state) => state === call.text('status'));
  if (call.text('status') !== undefined && !status) throw new UsageError(`--status takes ${STATES.join(', ')}.`);
  const limit = countOf(call, 'limit', 20);
  const rows: DockJobState[] = [];
  const slipway = await call.slipway();
  for await (const job of slipway.jobs.list({ status })) {
    if (rows.push(job) >= limit) break;
  }
  if (call.isJson) return rows.forEach((job) => call.terminal.json(job));
  call.terminal.say(table(['ID', 'OF', 'ACTION', 'STATUS', '%', 'ERROR'], rows.map(rowOf)));
}

async function follow(slipway: Slipway, id: string, call: Invocation): Promise<void> {
  const job = await slipway.jobs.wait(id, {
    onProgress: ({ percent, stage }) => call.terminal.bar(stage ?? 'Working', percent),
  });
  show(job, call);
}

function show(job: DockJobState, { terminal, isJson }: Invocation): void {
  if (isJson) terminal.json(job);
  else terminal.say(table(['ID', 'OF', 'ACTION', 'STATUS', '%', 'ERROR'], [rowOf(job)]));
}

function rowOf({ dockStatusId, jobType, action, status, percentageComplete, error }: DockJobState) {
  return [dockStatusId, jobType, action, status, percentageComplete, error?.code];
}
