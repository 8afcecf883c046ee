import { z } from 'zod';
import { Settings } from '../../../platform/config/settings.js';
import type { ModelProtocol } from '../../gateway/gateway.port.js';
import { secretField } from '../connection-fields.schema.js';
import { type CalledConnection, ConnectionProtocol, ConnectsTo } from '../connections.port.js';
import { anthropicRefusal } from './anthropic-refusal.js';
import { withDefaultPath } from './endpoint.js';
import { anthropic } from './sdk-models.js';

const Fields = z.object({ API_KEY: secretField().meta({ title: 'API key' }) });

@ConnectsTo({
  provider: 'Vendor2',
  alsoCalled: ['anthropic'],
  title: 'Vendor2 (the protocol of Anthropic)',
  ledgerName: 'anthropic',
  fields: Fields,
  needsModelType: true,
})
export class AnthropicProtocol extends ConnectionProtocol<z.infer<typeof Fields>> {
  override readonly refusalOf = anthropicRefusal;

  constructor(private readonly settings: Settings) {
    super();
  }

  model(
    { model, fields: { API_KEY: apiKey } }: CalledConnection<z.infer<typeof Fields>>,
    fetch: typeof globalThis.fetch,
  ): ModelProtocol {
    return anthropic({ baseUrl: withDefaultPath(this.settings.VENDOR2_BASE_URL, '/v1'), model, apiKey, fetch });
  }
}
