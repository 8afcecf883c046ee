import { z } from 'zod';
import { Settings } from '../../../platform/config/settings.js';
import type { ModelProtocol } from '../../gateway/gateway.port.js';
import { secretField } from '../connection-fields.schema.js';
import { type CalledConnection, ConnectionProtocol, ConnectsTo } from '../connections.port.js';
import { withDefaultPath } from './endpoint.js';
import { openAi } from './sdk-models.js';

const Fields = z.object({ API_KEY: secretField().meta({ title: 'API key' }) });

@ConnectsTo({
  provider: 'Vendor1',
  alsoCalled: ['openai'],
  title: 'Vendor1 (the protocol of OpenAI)',
  ledgerName: 'openai',
  fields: Fields,
})
export class OpenAiProtocol extends ConnectionProtocol<z.infer<typeof Fields>> {
  constructor(private readonly settings: Settings) {
    super();
  }

  model(
    { model, fields: { API_KEY: apiKey } }: CalledConnection<z.infer<typeof Fields>>,
    fetch: typeof globalThis.fetch,
  ): ModelProtocol {
    return openAi({ baseUrl: withDefaultPath(this.settings.VENDOR1_BASE_URL, '/v1'), model, apiKey, fetch });
  }
}
