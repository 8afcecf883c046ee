import { createOpenAI } from '@ai-sdk/openai';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import {
  type CalledConnection,
  ConnectionProtocol,
  ConnectsTo,
  type ModelProtocol,
  type ModelRequest,
  secretField,
} from '../../src/plugin.js';

const Fields = z.object({
  BASE_URL: z.string().meta({ title: 'Base address' }),
  PIN: secretField().meta({ title: 'Number' }),
});
type Fields = z.infer<typeof Fields>;

/** A protocol as a plugin has it. One of its secrets has a name that does not say so. */
@ConnectsTo({
  provider: 'Acme',
  alsoCalled: ['acme'],
  title: 'Acme models',
  ledgerName: 'acme-cloud',
  fields: Fields,
  addresses: ['BASE_URL'],
})
export class AcmeProtocol extends ConnectionProtocol<Fields> {
  model({ model, fields }: CalledConnection<Fields>, send: typeof fetch): ModelProtocol {
    return createOpenAI({ baseURL: fields.BASE_URL, apiKey: fields.PIN, fetch: send }).chat(model);
  }

  override refusalOf({ tools = [] }: ModelRequest): string | undefined {
    return tools.length > 0 ? 'does not accept tools' : undefined;
  }

  override problemOf({ model }: CalledConnection<Fields>): Promise<string | undefined> {
    return Promise.resolve(model === 'gone' ? 'Acme no longer has this model.' : undefined);
  }
}

@Module({ providers: [AcmeProtocol] })
export class AcmeModule {}
