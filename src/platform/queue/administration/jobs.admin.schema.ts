import { z } from 'zod';
import { exampleId, isAnyId } from '../../../kernel/ids.js';
import { QUEUES } from '../../../kernel/queues.js';
import { id, timestamp, wholeNumber } from '../../../kernel/schema.js';
import type { JobRow, JobState } from '../job.entity.js';

/** How the states of the table are shown to users. */
export const SHOWN = {
  queued: 'waiting',
  running: 'running',
  suspended: 'suspended',
  done: 'done',
  failed: 'failed',
} as const satisfies Record<JobState, string>;
const TABLE_STATES = Object.keys(SHOWN) as JobState[];
export const ShownState = z.enum(Object.values(SHOWN));
/** Limits the text that is shown, because an error may quote the data that it is about. */
export const ERROR_SHOWN = 300;

export const Queue = z
  .enum(QUEUES)
  .describe('The queue of the job, which says the kind of work. `SLIPWAY_QUEUES` decides which processes serve it.');
export const JobView = z
  .object({
    jobId: id('job'),
    name: z.string().meta({ examples: ['access.finish-revocation'] }),
    queue: Queue,
    state: ShownState,
    projectId: id('project').nullable(),
    lane: z
      .string()
      .describe(
        'The lane of the job. Jobs of one lane run in order, unless its width is more than one. A job with a lane of its own has its id here.',
      )
      .meta({ examples: [exampleId('apiKey')] }),
    data: z
      .record(z.string(), z.unknown())
      .describe("The ids, numbers and booleans of the job's data. All other values are shown as `***`.")
      .meta({ examples: [{ keyId: exampleId('apiKey') }] }),
    attempts: z
      .int()
      .describe('The number of attempts that count. A retry sets it back to 0.')
      .meta({ examples: [1] }),
    everySeconds: z
      .int()
      .nullable()
      .describe('The seconds after its end at which a recurring job is due again. Null for all other jobs.'),
    progress: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The progress that the job reported last.')
      .meta({ examples: [{ rewrapped: 120, unreadable: 0 }] }),
    error: z.string().nullable().describe('The error of the last attempt, cut to 300 characters.'),
    runAt: timestamp.describe('The time at which the job is due or its suspension ends.'),
    createdAt: timestamp,
    finishedAt: timestamp.nullable(),
  })
  .meta({ id: 'Job' });

export const LaneQuery = z.strictObject({ limit: wholeNumber(1, 100).prefault(20) });
export type LaneQuery = z.infer<typeof LaneQuery>;

const count = z.int().meta({ examples: [0] });

const JobCounts = z.object({
  waiting: count,
  due: count.describe('The jobs that wait for a worker, and not for their time.'),
  running: count,
  suspended: count,
  late: count.describe('The waiting jobs that have been due for over a minute.'),
  failed: count.describe('The failed jobs that have not been deleted yet.'),
  oldestWaitingSeconds: z
    .number()
    .describe('The seconds for which the longest-waiting job has been due.')
    .meta({ examples: [0] }),
});

export const JobSummaryView = z
  .object({ name: z.string().meta({ examples: ['access.finish-revocation'] }), queue: Queue, ...JobCounts.shape })
  .meta({ id: 'JobSummary' });

export const LaneSummaryView = z
  .object({
    lane: z
      .string()
      .describe('The lane. The list of jobs takes it as a filter.')
      .meta({ examples: [exampleId('apiKey')] }),
    projectId: id('project').nullable(),
    ...JobCounts.shape,
  })
  .meta({ id: 'LaneSummary' });

export function toTableState(shown: z.infer<typeof ShownState>): JobState {
  return TABLE_STATES.find((state) => SHOWN[state] === shown)!;
}

export function toJobView(job: JobRow): z.infer<typeof JobView> {
  return {
    jobId: job.id,
    name: job.name,
    queue: job.queue,
    state: SHOWN[job.state],
    projectId: job.projectId,
    lane: job.lane,
    data: Object.fromEntries(
      Object.entries(job.data as object).map(([name, value]) => [name, isSafe(value) ? value : '***']),
    ),
    attempts: job.attempt - job.forgiven,
    everySeconds: job.every,
    progress: job.progress,
    error: job.error?.slice(0, ERROR_SHOWN) ?? null,
    runAt: job.runAt.toISOString(),
    createdAt: job.createdAt.toISOString(),
    finishedAt: job.finishedAt?.toISOString() ?? null,
  };
}

/** Ids, numbers, booleans and null are shown. Any other text could be secret. */
function isSafe(value: unknown): boolean {
  if (typeof value === 'string') return isAnyId(value);
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}
