import { newId } from '../../src/kernel/ids.js';
import { QUEUES } from '../../src/kernel/queues.js';
import { claim } from '../../src/platform/queue/claim.statement.js';
import type { ClaimedJob, NewJob } from '../../src/platform/queue/job.entity.js';
import { Job } from '../../src/platform/queue/job.entity.js';
import { JobRepository } from '../../src/platform/queue/job.repository.js';
import { givePlace, lanesWithQueue } from '../../src/platform/queue/lane.statements.js';
import { look } from '../../src/platform/queue/look.statement.js';
import { keepRecurring } from '../../src/platform/queue/recurring.statement.js';
import { sweepRetention } from '../../src/platform/retention/retention.jobs.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const id = newId('job');
const ofOne = { lane: 'session', width: 1 };
const ofEight = { lane: 'subscription', width: 8 };
const added: NewJob = {
  id,
  name: 'agents.turn',
  queue: 'turns',
  projectId: newId('project'),
  ...ofOne,
  data: {},
  traceParent: null,
  runAt: null,
};
const row = exampleRow(Job);
const claimed: ClaimedJob = { ...row, ...ofOne, claim: 'claim', place: 1, every: null };
const inEight = { ...claimed, ...ofEight };
const alone = { ...claimed, id, lane: id };
const recurring = { ...claimed, every: 60 };

export const examples: Examples = {
  ...examplesOf(JobRepository, (jobs) => ({
    insertAlone: jobs.insertAlone(added, null),
    'insertAlone (begun here)': jobs.insertAlone(added, 'claim'),
    'insertIntoLane (of one)': jobs.insertIntoLane(added, 'claim'),
    'insertIntoLane (of eight)': jobs.insertIntoLane({ ...added, ...ofEight }, 'claim'),
    renewLeases: jobs.renewLeases([claimed]),
    report: jobs.report(claimed, {}),
    'postpone (in a lane of one)': jobs.postpone(claimed, 'reason', 5, true),
    'postpone (in a lane of eight)': jobs.postpone(inEight, 'reason', 5, true),
    release: jobs.release(claimed, 0),
    releaseAfterOutage: jobs.releaseAfterOutage(claimed, 2),
    'finish (in a lane of one)': jobs.finish(claimed, true),
    'finish (not kept)': jobs.finish(claimed, false),
    'finish (in a lane of eight)': jobs.finish(inEight, true),
    'finish (alone)': jobs.finish(alone, true),
    'finish (recurring)': jobs.finish(recurring, true),
    suspend: jobs.suspend(claimed, new Date()),
    'fail (in a lane of one)': jobs.fail(claimed, 'reason'),
    'fail (alone)': jobs.fail(alone, 'reason'),
    'fail (recurring)': jobs.fail(recurring, 'reason'),
    resume: jobs.resume(id),
    byId: jobs.byId(id),
    lock: jobs.lock(id),
    failUnended: jobs.failUnended(id, 'reason'),
    reopen: jobs.reopen(id),
    reclaimExpired: jobs.reclaimExpired(QUEUES),
    endSuspensions: jobs.endSuspensions(QUEUES),
  })),
  'givePlace (of a lane of one)': givePlace(ofOne),
  'givePlace (of a lane of eight)': givePlace(ofEight),
  lanesWithQueue: lanesWithQueue('lane', 100),
  claim: claim({ left: 10, running: new Map([['project', 2]]), queues: new Map([['turns', Infinity]]) }),
  look: look(QUEUES),
  keepRecurring: keepRecurring([{ ...sweepRetention, every: 3_600 }]),
};
