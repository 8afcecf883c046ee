import { z } from 'zod';
import { defineJob } from '../queue/job-definition.js';

export const RewrapData = z.object({ masterKey: z.number().int() });
export type RewrapData = z.infer<typeof RewrapData>;

/**
 * Wraps all data keys under one master key. The attempts last for about a day, because a row may be locked for long, or
 * a worker may lack the key.
 */
export const rewrapSealed = defineJob('crypto.rewrap', { queue: 'upkeep', data: RewrapData, attempts: 300 });
