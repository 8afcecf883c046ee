import { z } from 'zod';
import { flag, modelAddress } from './setting-types.js';

/** A credential is sent in a header, so it may have only visible ASCII characters. The message shows no value. */
const key = z.string().regex(/^[\x21-\x7e]{1,8192}$/, 'has characters that keys cannot have, such as spaces');
const modelName = z.string().min(1).max(256);

/**
 * The provider of the demo's agent. The names are those that the providers' own clients read, so a shell that is set up
 * for them is set up for the demo, too.
 */
export const demoSettings = {
  SLIPWAY_DEMO: flag.describe('Whether the demo project is created at the first start: 1 creates it.'),
  SLIPWAY_DEMO_PROVIDER: z
    .enum(['openai', 'anthropic', 'azure', 'ollama', 'mock'])
    .optional()
    .describe(
      'Provider that answers for the demo’s agent: `openai`, `anthropic`, `azure`, `ollama` or `mock`. Without it, the first of them whose key or address is set, in the order `ollama`, `azure`, `anthropic`, `openai`.',
    ),
  OPENAI_API_KEY: key
    .optional()
    .describe('Key of OpenAI for the demo’s agent. It is sealed in a connection of the demo project.'),
  OPENAI_MODEL: modelName.default('gpt-4o-mini').describe('Model of OpenAI that answers for the demo’s agent.'),
  OPENAI_BASE_URL: modelAddress
    .optional()
    .describe(
      'Address at which the demo’s agent calls the protocol of OpenAI instead of VENDOR1_BASE_URL. If it has no path, `/v1` is added.',
    ),
  ANTHROPIC_API_KEY: key
    .optional()
    .describe('Key of Anthropic for the demo’s agent. It is sealed in a connection of the demo project.'),
  ANTHROPIC_MODEL: modelName
    .default('claude-opus-4-8')
    .describe('Model of Anthropic that answers for the demo’s agent.'),
  AZURE_OPENAI_API_KEY: key
    .optional()
    .describe(
      'Key of Azure OpenAI for the demo’s agent, with AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_DEPLOYMENT. It is sealed in a connection of the demo project.',
    ),
  AZURE_OPENAI_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an https:// address' })
    .optional()
    .describe('Address of the Azure resource of the demo’s agent, such as `https://our-models.openai.azure.com`.'),
  AZURE_OPENAI_DEPLOYMENT: z
    .string()
    .regex(/^(?!\.+$)[A-Za-z0-9._-]{1,64}$/, 'must have 1 to 64 letters, digits, dots, _ and -')
    .optional()
    .describe('Name of the deployment in that resource.'),
  AZURE_OPENAI_API_VERSION: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,64}$/, 'must have 1 to 64 letters, digits, dots and hyphens')
    .default('2024-10-21')
    .describe('Version of the interface of Azure OpenAI that the demo’s agent calls.'),
  OLLAMA_BASE_URL: modelAddress
    .optional()
    .describe(
      'Address of an Ollama, or of another server with the protocol of OpenAI and without a key, that answers for the demo’s agent, such as `http://127.0.0.1:11434`. If it has no path, `/v1` is added.',
    ),
  OLLAMA_MODEL: modelName.default('llama3.2').describe('Model of that server.'),
};
