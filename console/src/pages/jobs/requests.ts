export const JOBS = '/api/admin/v1/jobs';
export const JOB = `${JOBS}/{jobId}` as const;
export const JOB_SUMMARY = `${JOBS}/summary` as const;
export const JOB_LANES = `${JOBS}/lanes` as const;
