import { type Settings, SettingsError } from '../../platform/config/settings.js';
import { CreateConnection } from '../connections/connections.schema.js';

type Named = Exclude<NonNullable<Settings['SLIPWAY_DEMO_PROVIDER']>, 'mock'>;

/** The settings that each provider needs, in the order in which they are looked for. The first one chooses it. */
const NEEDED = {
  ollama: ['OLLAMA_BASE_URL'],
  azure: ['AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_ENDPOINT', 'AZURE_OPENAI_DEPLOYMENT'],
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
} as const satisfies Record<Named, readonly (keyof Settings)[]>;

const ORDER = Object.keys(NEEDED) as Named[];

const AZURE_HOST = /^([a-z0-9-]{1,63})\.openai\.azure\.com$/i;

/** Ollama ignores the key, but a connection has to have one. */
const NO_KEY = 'none';

/** Returns the model that the environment names, as a connection, or undefined if it names none. */
export function namedModel(settings: Settings): { provider: Named; connection: CreateConnection } | undefined {
  const { SLIPWAY_DEMO_PROVIDER: chosen } = settings;
  if (chosen === 'mock') return undefined;
  const provider = chosen ?? ORDER.find((each) => settings[NEEDED[each][0]] !== undefined);
  if (!provider) return undefined;
  const missing = NEEDED[provider].filter((name) => settings[name] === undefined);
  if (missing.length > 0)
    throw new SettingsError(missing.map((name) => `${name} is missing, without which ${provider} cannot be called.`));
  const described = { connectionName: `Demo model (${provider})`, ...DESCRIBE[provider](settings) };
  return { provider, connection: CreateConnection.parse(described) };
}

const DESCRIBE: Record<Named, (settings: Settings) => object> = {
  openai: ({ OPENAI_API_KEY: API_KEY, OPENAI_MODEL: model, OPENAI_BASE_URL: BASE_URL }) =>
    BASE_URL === undefined
      ? { provider: 'openai', model, fields: { API_KEY } }
      : { provider: 'API', model, fields: { BASE_URL, API_KEY, MODEL_NAME: model } },
  anthropic: ({ ANTHROPIC_API_KEY: API_KEY, ANTHROPIC_MODEL: model }) => ({
    provider: 'anthropic',
    model,
    modelType: 'EASY_INTEGRATION',
    fields: { API_KEY },
  }),
  azure: describeAzure,
  ollama: ({ OLLAMA_BASE_URL: BASE_URL, OLLAMA_MODEL: model }) => ({
    provider: 'API',
    model,
    fields: { BASE_URL, API_KEY: NO_KEY, MODEL_NAME: model },
  }),
};

/** The provider `azure` knows only resources below the usual host. Others are called at their exact address. */
function describeAzure(settings: Settings): object {
  const { AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_API_VERSION: version } = settings;
  const deployment = settings.AZURE_OPENAI_DEPLOYMENT!;
  const endpoint = settings.AZURE_OPENAI_ENDPOINT!;
  const [, resource] = AZURE_HOST.exec(new URL(endpoint).hostname) ?? [];
  if (resource !== undefined)
    return {
      provider: 'azure',
      model: deployment,
      modelType: 'EASY_INTEGRATION',
      fields: { API_KEY: key, api_version: version, your_resource_name: resource, deployment_id: deployment },
    };
  const path = `openai/deployments/${deployment}/chat/completions?api-version=${version}`;
  return {
    provider: 'API',
    model: deployment,
    fields: {
      endpointUrl: `${endpoint.replace(/\/+$/, '')}/${path}`,
      headers: [{ key: 'api-key', value: key }],
      MODEL_NAME: deployment,
    },
  };
}
