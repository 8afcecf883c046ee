import { newId } from '../../src/kernel/ids.js';
import { administratorOf } from '../support/actors.js';
import type { Refusals } from '../support/samples.js';
import { aJob } from './jobs.samples.js';

const JOBS = '/api/admin/v1/jobs';

export const refusals: Refusals = {
  JOB_NOT_FOUND: ({ service }) => administratorOf(service).get(`${JOBS}/${newId('job')}`),
  JOB_ENDED: async (world) => administratorOf(world.service).post(`${JOBS}/${await aJob(world, 'done')}/cancel`),
  JOB_NOT_FAILED: async (world) => administratorOf(world.service).post(`${JOBS}/${await aJob(world, 'queued')}/retry`),
};
