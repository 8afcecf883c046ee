import { z } from 'zod';
import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { ModelPrice } from './model-price.entity.js';

export const modelPriceList = defineList(ModelPrice, {
  sorts: { createdAt: 'id', model: 'model', provider: 'provider' },
  filters: { model: z.string().min(1), provider: z.string().min(1) },
});
export type ModelPricesRequest = RequestOf<typeof modelPriceList>;
