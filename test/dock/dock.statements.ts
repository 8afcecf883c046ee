import { newId } from '../../src/kernel/ids.js';
import { DockJob } from '../../src/modules/dock/dock-job.entity.js';
import { DockJobRepository } from '../../src/modules/dock/dock-job.repository.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const id = newId('dockJob');

export const examples: Examples = examplesOf(DockJobRepository, (jobs) => ({
  add: jobs.add(exampleRow(DockJob)),
  lockRunning: jobs.lockRunning(id),
  end: jobs.end(id, exampleRow(DockJob)),
  lockTarget: jobs.lockTarget('target'),
  runningFor: jobs.runningFor('target'),
  beginAttempt: jobs.beginAttempt(id),
  forgiveAttempt: jobs.forgiveAttempt(id, 1),
  noteProgress: jobs.noteProgress(id, 1, 50, 'stage'),
  countByState: jobs.countByState(),
}));
