import { z } from 'zod';
import { exampleId } from '../../kernel/ids.js';
import { id, timestamp } from '../../kernel/schema.js';
import { type Answer, plainWithExamples } from '../../platform/route/answer.js';
import { ACTIONS, DOCK_STATUSES, type DockJob, JOB_TYPES } from './dock-job.entity.js';

const dockStatusId = id('dockJob');
const toolId = id('tool').optional().describe('The tool. Only jobs of the type TOOLS have one.');
const modelId = id('model').optional().describe('The model. Only jobs of the type MODELS have one.');
const jobType = z.enum(JOB_TYPES);
const action = z.enum(ACTIONS);
const status = z.enum(DOCK_STATUSES);
const exportJobId = id('toolExport').optional().describe('The id of the export. Only exports of tools have one.');
const percentageComplete = z.int().min(0).max(100);
const response = z
  .looseObject({
    downloadUrl: z.string().optional().describe('A link that opens the export for an hour. Only exports have one.'),
  })
  .optional()
  .describe('The result of the job.');

const answered = { dockStatusId, toolId, modelId, jobType, action, status, exportJobId, response };

/** The immediate answer of an operation. */
export const DockJobAnswer = z
  .object({
    ...answered,
    percentageComplete: percentageComplete
      .optional()
      .describe('The progress in percent. Only exports of models have it.'),
  })
  .meta({
    id: 'DockJobAnswer',
    examples: [
      {
        dockStatusId: exampleId('dockJob'),
        toolId: exampleId('tool'),
        jobType: 'TOOLS',
        action: 'DEPLOY',
        status: 'IN_PROGRESS',
      },
    ],
  });
export type DockJobAnswer = z.infer<typeof DockJobAnswer>;

const LINK = `http://127.0.0.1:3000/api/public/dock-status/${exampleId('dockJob')}/content?expires=1795340000&signature=nZ4c`;

/** Examples of the immediate answers. Their members and status differ between operations. */
const AT_ONCE = {
  'TOOLS IMPORT': { started: { status: 'IN_PROGRESS' } },
  'TOOLS EXPORT': {
    started: { status: 'IN_PROGRESS', exportJobId: exampleId('toolExport'), response: { downloadUrl: LINK } },
  },
  'TOOLS DEPLOY': { started: { status: 'IN_PROGRESS' }, waited: { status: 'SUCCESS' } },
  'TOOLS UNDEPLOY': { done: { status: 'SUCCESS' } },
  'MODELS DEPLOY': { started: { status: 'IN_PROGRESS' } },
  'MODELS UNDEPLOY': { done: { status: 'SUCCESS' } },
  'MODELS EXPORT': { done: { status: 'SUCCESS', percentageComplete: 100, response: { downloadUrl: LINK } } },
} as const;

/** Returns the description of an operation's immediate answer, with examples that have only its members. */
export function dockAnswer(operation: keyof typeof AT_ONCE): Answer<DockJobAnswer> {
  const [jobType, action] = operation.split(' ') as ['TOOLS' | 'MODELS', DockJobAnswer['action']];
  const target = jobType === 'TOOLS' ? { toolId: exampleId('tool') } : { modelId: exampleId('model') };
  const examples = Object.entries(AT_ONCE[operation]).map(([name, members]) => {
    return [name, { dockStatusId: exampleId('dockJob'), ...target, jobType, action, ...members }] as const;
  });
  return plainWithExamples(DockJobAnswer, Object.fromEntries(examples));
}

export const DockJobView = z
  .object({
    _id: dockStatusId.describe('The same id as dockStatusId.'),
    ...answered,
    percentageComplete,
    stage: z.string().optional().describe('The step that the job is working on.'),
    startedAt: timestamp.optional(),
    finishedAt: timestamp.optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional().describe('The error of a failed job.'),
  })
  .meta({
    id: 'DockJob',
    examples: [
      {
        _id: exampleId('dockJob'),
        dockStatusId: exampleId('dockJob'),
        toolId: exampleId('tool'),
        jobType: 'TOOLS',
        action: 'IMPORT',
        status: 'IN_PROGRESS',
        percentageComplete: 40,
        stage: 'Checking the flow',
        startedAt: '2026-11-21T09:30:00.000Z',
      },
    ],
  });
export type DockJobView = z.infer<typeof DockJobView>;

/** Returns exactly the members that the specification shows for the operation. */
export function toDockJobAnswer(job: DockJob, downloadUrl?: string): DockJobAnswer {
  const isModelExport = job.jobType === 'MODELS' && job.action === 'EXPORT';
  return {
    dockStatusId: job.id,
    ...targetOf(job),
    jobType: job.jobType,
    action: job.action,
    status: job.status,
    ...(job.exportJobId && { exportJobId: job.exportJobId }),
    ...(isModelExport && { percentageComplete: job.percentageComplete }),
    ...(job.action === 'EXPORT' && responseOf(job, downloadUrl)),
  };
}

export function toDockJobView(job: DockJob, downloadUrl?: string): DockJobView {
  const { errorCode, errorMessage, stage, startedAt, finishedAt } = job;
  return {
    _id: job.id,
    ...toDockJobAnswer(job),
    percentageComplete: job.percentageComplete,
    ...(stage !== null && !job.isOver && { stage }),
    ...(startedAt && { startedAt: startedAt.toISOString() }),
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
    ...(errorCode !== null && { error: { code: errorCode, message: errorMessage ?? '' } }),
    ...responseOf(job, downloadUrl),
  };
}

function targetOf({ jobType, targetId }: DockJob): { toolId?: string; modelId?: string } {
  if (jobType === 'TOOLS') return { toolId: targetId };
  return jobType === 'MODELS' ? { modelId: targetId } : {};
}

function responseOf(job: DockJob, downloadUrl: string | undefined): { response?: Record<string, unknown> } {
  const isThere = job.response !== null || downloadUrl !== undefined;
  return isThere ? { response: { ...job.response, ...(downloadUrl !== undefined && { downloadUrl }) } } : {};
}
