import type { DockJobState } from '../../dock-job.js';
import type { Slipway } from '../../slipway.js';
import { countOf, UsageError, type Action, type Command, type Invocation } from '../command.js';
import { table } from '../table.js';

const STATES = ['IN_PROGRESS', 'SUCCESS', 'FAILED'] as const;

const listed: Action = {
  usage: 'slipway jobs [--status IN_PROGRESS|SUCCESS|FAILED] [--limit 20] [--admin-key KEY]',
  words: [],
  adminKey: 'needed',
  options: { status: { type: 'string' }, limit: { type: 'string' } },
  run: list,
};

const one: Action = {
  usage: 'slipway jobs JOB_ID [--follow]',
  words: ['JOB_ID'],
  options: { follow: { type: 'boolean' } },
  async run(call) {
    const id = call.words[0]!;
    call.facts.dockStatusId = id;
    const slipway = await call.slipway();
    if (call.isSet('follow')) return follow(slipway, id, call);
    show(await slipway.jobs.read(id), call);
  },
};

export const jobs: Command = {
  summary: 'Shows imports, exports and deployments, and follows one until it ends.',
  notes: 'Without JOB_ID, it lists the jobs of the project, which needs an administration key.',
  actions: [listed, one],
  pick: (words) => ({
    action: words.length === 0 ? listed : one,
    words,
    called: words.length === 0 ? 'slipway jobs' : 'slipway jobs JOB_ID',
  }),
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
