import { z } from 'zod';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { Model, MODEL_KINDS, MODEL_STATES } from './model.entity.js';

export const modelList = defineList(Model, {
  sorts: { createdAt: 'id', changedAt: 'changedAt', name: 'name', fileSize: 'size' },
  filters: { kind: z.enum(MODEL_KINDS), state: z.enum(MODEL_STATES) },
});
export type ModelsRequest = RequestOf<typeof modelList>;
