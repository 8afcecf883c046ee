import { defineErrors } from '../../kernel/errors.js';

export const jobErrors = defineErrors({
  jobNotFound: {
    status: 404,
    code: 'JOB_NOT_FOUND',
    message:
      'There is no such job. GET /api/admin/v1/jobs lists the jobs. Jobs are deleted some days after their end, and those of turns and callbacks at their end.',
  },
  queuesUnavailable: {
    status: 503,
    code: 'QUEUES_UNAVAILABLE',
    message: 'The queues are not shown, because Redis does not answer. Jobs run without it, but start later.',
    retryAfter: 5,
  },
  jobEnded: {
    status: 409,
    code: 'JOB_ENDED',
    message: 'The job has ended, so there is nothing to cancel. A failed job can be retried.',
  },
  jobNotFailed: {
    status: 409,
    code: 'JOB_NOT_FAILED',
    message: 'Only a failed job can be retried. Wait for this one to end, or cancel it first.',
  },
});
