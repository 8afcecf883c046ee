import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { projectFile } from '../../../platform/config/project-file.js';

/**
 * US dollars for a million tokens. Cached tokens without a price cost as much as input, reasoning tokens as much as
 * output.
 */
export interface Price {
  input: number;
  cachedInput?: number | null | undefined;
  output: number;
  reasoning?: number | null | undefined;
}

interface Tokens {
  inputTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

const PER_TOKENS = 1_000_000;
/** Rounding to so many decimals removes the errors of floating-point arithmetic. */
const DECIMALS = 12;

export function costOf(price: Price, tokens: Tokens): number {
  const cost =
    (tokens.inputTokens - tokens.cachedTokens) * price.input +
    tokens.cachedTokens * (price.cachedInput ?? price.input) +
    tokens.completionTokens * price.output +
    tokens.reasoningTokens * (price.reasoning ?? price.output);
  return Number((cost / PER_TOKENS).toFixed(DECIMALS));
}

const price = z.number().min(0);

/** The shape of `config/model-prices.json`, which operators edit. */
export const PriceFile = z.strictObject({
  currency: z.literal('USD'),
  per: z.literal('1,000,000 tokens'),
  models: z.array(
    z.strictObject({
      provider: z.string().min(1),
      model: z.string().min(1),
      aliases: z.array(z.string().min(1)).optional(),
      input: price,
      cachedInput: price.optional(),
      output: price,
      reasoning: price.optional(),
      source: z.url(),
      asOf: z.iso.date(),
    }),
  ),
});
export type PriceFile = z.output<typeof PriceFile>;

/** Prices by model and provider. A price with the provider '' applies to any provider. */
export class PriceTable {
  private readonly prices = new Map<string, Price>();

  set(model: string, provider: string, price: Price): void {
    this.prices.set(JSON.stringify([model, provider]), price);
  }

  /** Returns the price of this provider, else the one for any provider. */
  find(model: string, provider: string): Price | undefined {
    return this.prices.get(JSON.stringify([model, provider])) ?? this.prices.get(JSON.stringify([model, '']));
  }
}

/**
 * Builds the table of the price file. A model that several providers host has the price of its maker, the first in the
 * file, unless the file has a price of the provider that hosts it.
 */
export function toPriceTable({ models }: PriceFile): PriceTable {
  const table = new PriceTable();
  for (const entry of models.toReversed()) {
    for (const model of [entry.model, ...(entry.aliases ?? [])]) {
      table.set(model, entry.provider, entry);
      table.set(model, '', entry);
    }
  }
  return table;
}

export function readPriceFile(): PriceFile {
  return PriceFile.parse(JSON.parse(readFileSync(projectFile('config/model-prices.json'), 'utf8')));
}
