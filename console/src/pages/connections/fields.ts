import type { Schemas } from '../../api/client.js';
import type { Field } from '../../parts/fields-form.js';

export type NewConnection = Schemas['CreateConnectionInput'];
/** The names of answers. Requests may have others, too. */
export type Provider = Schemas['Connection']['provider'];

type Of<Body, P> = Body extends { provider: infer Names } ? (P extends Names ? Body : never) : never;
type FieldsOf<P extends Provider> = NonNullable<Of<NewConnection, P>['fields']>;
/** The members that the schema of the API names. Without this, the members that it merely allows would hide them. */
type Named<T> = keyof { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

const API_KEY = { name: 'API_KEY', label: 'API key', kind: 'secret', isRequired: true } as const;

export const PROVIDERS: Readonly<Record<Provider, string>> = {
  Vendor1: 'Vendor1 (the protocol of OpenAI)',
  CloudVendor1: 'CloudVendor1 (deployments in the style of Azure)',
  Vendor2: 'Vendor2 (the protocol of Anthropic)',
  API: 'API (any endpoint)',
};

/** The fields of each provider. Their names are those of the schema of the API, so a name that changes does not compile. */
export const FIELDS: { readonly [P in Provider]: readonly Field<Named<FieldsOf<P>>>[] } = {
  Vendor1: [API_KEY],
  CloudVendor1: [
    API_KEY,
    { name: 'your_resource_name', label: 'Resource', isRequired: true },
    { name: 'deployment_id', label: 'Deployment', isRequired: true },
    { name: 'api_version', label: 'Version of the API', isRequired: true },
  ],
  Vendor2: [API_KEY],
  API: [
    { name: 'BASE_URL', label: 'Base address', hint: 'Such as https://models.example.com/v1' },
    { name: 'endpointUrl', label: 'Exact address', hint: 'Calls go there instead of to the base address.' },
    { name: 'API_KEY', label: 'API key', kind: 'secret', hint: 'Not needed if the headers have it.' },
    {
      name: 'headers',
      label: 'Headers',
      kind: 'json',
      hint: 'A list, such as [{"key": "x-team", "value": "support"}]',
    },
    { name: 'payload', label: 'Payload', kind: 'json', hint: 'The body of calls, whose texts are templates.' },
    { name: 'outputPath', label: 'Path of the answer', hint: 'Such as choices[0].message.content' },
    { name: 'inputTokensPath', label: 'Path of the input tokens' },
    { name: 'outputTokensPath', label: 'Path of the output tokens' },
    { name: 'llmFeatures', label: 'Features', kind: 'json', hint: 'Such as {"streaming": true}' },
  ],
};
