import { newId } from '../../src/kernel/ids.js';
import { DockJob } from '../../src/modules/dock/dock-job.entity.js';
import { DockJobRepository } from '../../src/modules/dock/dock-job.repository.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const [id, now] = [newId('dockJob'), new Date()];

export const examples: Examples = examplesOf(DockJobRepository, (jobs) => ({
  add: jobs.add(exampleRow(DockJob)),
  lockRunning: jobs.lockRunning(id),
  'end (SUCCESS)': jobs.end(id, { status: 'SUCCESS', response: {} }, now, now),
  'end (FAILED)': jobs.end(id, { status: 'FAILED', errorCode: 'CODE', errorMessage: 'Why' }, now, now),
  runningFor: jobs.runningFor('target'),
  running: jobs.running(id),
  noteProgress: jobs.noteProgress(id, 1, now, { percentageComplete: 50, stage: 'stage' }),
  countByState: jobs.countByState(),
}));
