import { z } from 'zod';
import { displayName, id, timestamp } from '../../../kernel/schema.js';
import type { ModelPrice } from './model-price.entity.js';

const MAX_PRICE = 1_000_000;

const price = (example: number) =>
  z
    .number()
    .min(0)
    .max(MAX_PRICE)
    .meta({ examples: [example] });

const model = displayName.describe('The model, exactly as calls name it.').meta({ examples: ['gpt-4o'] });
const provider = z
  .string()
  .max(128)
  .describe('The provider, exactly as calls name it, or "" for any provider.')
  .meta({ examples: ['openai'] });

const prices = {
  input: price(2).describe('The price in US dollars for a million tokens.'),
  cachedInput: price(1).nullable().describe('The price of cached tokens. `null` means the price of `input`.'),
  output: price(8),
  reasoning: price(8).nullable().describe('The price of reasoning tokens. `null` means the price of `output`.'),
};

export const CreateModelPrice = z
  .strictObject({
    model,
    provider: provider.default(''),
    ...prices,
    cachedInput: prices.cachedInput.default(null),
    reasoning: prices.reasoning.default(null),
  })
  .meta({ id: 'CreateModelPrice', examples: [{ model: 'gpt-4o', input: 2, cachedInput: 1, output: 8 }] });
export type CreateModelPrice = z.output<typeof CreateModelPrice>;

export const ChangeModelPrice = z
  .strictObject(prices)
  .partial()
  .meta({ id: 'ChangeModelPrice', examples: [{ output: 7.5 }] });
export type ChangeModelPrice = z.output<typeof ChangeModelPrice>;

export const ModelPriceView = z
  .object({
    modelPriceId: id('modelPrice'),
    projectId: id('project'),
    model,
    provider,
    ...prices,
    createdAt: timestamp,
  })
  .meta({ id: 'ModelPrice' });

export const ModelPriceGone = z.object({ modelPriceId: id('modelPrice') }).meta({ id: 'ModelPriceGone' });

export function toModelPriceView(price: ModelPrice): z.infer<typeof ModelPriceView> {
  return {
    modelPriceId: price.id,
    projectId: price.project.id,
    model: price.model,
    provider: price.provider,
    input: price.input,
    cachedInput: price.cachedInput,
    output: price.output,
    reasoning: price.reasoning,
    createdAt: price.createdAt.toISOString(),
  };
}
