import { OpenAiProtocol } from './openai.js';
import { AzureProtocol } from './azure.js';
import { AnthropicProtocol } from './anthropic.js';
import { GeminiProtocol } from './gemini.js';
import { OllamaProtocol } from './ollama.js';
import { AnyEndpoint } from './any-endpoint.js';

/** Slipway's own protocols. Lists have them in the order of the imports, and then those of plugins. */
export const PROTOCOLS = [
  OpenAiProtocol,
  AzureProtocol,
  AnthropicProtocol,
  GeminiProtocol,
  OllamaProtocol,
  AnyEndpoint,
];
