import { z } from 'zod';
import { Settings } from '../../../platform/config/settings.js';
import type { ModelProtocol } from '../../gateway/gateway.port.js';
import { secretField } from '../connection-fields.schema.js';
import { type CalledConnection, ConnectionProtocol, ConnectsTo } from '../connections.port.js';
import { withDefaultPath } from './endpoint.js';
import { azure } from './sdk-models.js';

const Fields = z.object({
  API_KEY: secretField().meta({ title: 'API key' }),
  api_version: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,64}$/, 'must have 1 to 64 letters, digits, dots and hyphens')
    .meta({ title: 'Version of the API' }),
  your_resource_name: z
    .string()
    .regex(/^[a-zA-Z0-9-]{1,63}$/, 'must have 1 to 63 letters, digits and hyphens')
    .meta({ title: 'Resource' }),
  deployment_id: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must have 1 to 64 letters, digits, dots, _ and -')
    .refine((id) => !/^\.+$/.test(id), 'must not consist of dots alone')
    .meta({ title: 'Deployment' }),
});

@ConnectsTo({
  provider: 'CloudVendor1',
  alsoCalled: ['azure'],
  title: 'CloudVendor1 (deployments in the style of Azure)',
  ledgerName: 'azure',
  fields: Fields,
  needsModelType: true,
})
export class AzureProtocol extends ConnectionProtocol<z.infer<typeof Fields>> {
  constructor(private readonly settings: Settings) {
    super();
  }

  model({ model, fields }: CalledConnection<z.infer<typeof Fields>>, fetch: typeof globalThis.fetch): ModelProtocol {
    const {
      API_KEY: apiKey,
      api_version: apiVersion,
      deployment_id: deployment,
      your_resource_name: resource,
    } = fields;
    const address = this.settings.CLOUDVENDOR1_BASE_URL.replaceAll('{your_resource_name}', resource);
    return azure({ baseUrl: withDefaultPath(address, '/openai'), model, apiKey, apiVersion, deployment, fetch });
  }
}
