import { z } from 'zod';
import type { ModelProtocol, ModelRequest } from '../../gateway/gateway.port.js';
import { address, secretField } from '../connection-fields.schema.js';
import { type CalledConnection, ConnectionProtocol, ConnectsTo } from '../connections.port.js';
import { jsonModel } from './json-model.js';
import { bearer } from './endpoint.js';
import { ollamaBody, ollamaRefusal } from './ollama-request.js';
import { ollamaPiece } from './ollama-answer.js';

const Fields = z.object({
  BASE_URL: address.meta({ title: 'Base address', description: 'Such as http://127.0.0.1:11434' }),
  API_KEY: secretField()
    .meta({ title: 'API key', description: 'Needed only if the server or a proxy before it asks for one.' })
    .optional(),
});
type Fields = z.infer<typeof Fields>;

const Tags = z.object({ models: z.array(z.object({ name: z.string() })) });

/** The protocol of Ollama's own interface, which knows more of its models than the one of OpenAI that it also has. */
@ConnectsTo({
  provider: 'Ollama',
  alsoCalled: ['ollama'],
  title: 'Ollama',
  ledgerName: 'ollama',
  fields: Fields,
  addresses: ['BASE_URL'],
})
export class OllamaProtocol extends ConnectionProtocol<Fields> {
  override readonly refusalOf = ollamaRefusal;

  model({ model, fields }: CalledConnection<Fields>, send: typeof fetch): ModelProtocol {
    const protocol = {
      provider: 'ollama',
      model,
      addressOf: () => addressOf(fields, 'chat'),
      headers: bearer(fields.API_KEY),
      bodyOf: (request: ModelRequest, isStream: boolean) => ollamaBody(model, request, isStream),
      pieceIn: ollamaPiece,
    };
    return jsonModel(protocol, send);
  }

  /** Without this, a model that was never fetched and a wrong address would fail with the same reason. */
  override async problemOf(
    { model, fields }: CalledConnection<Fields>,
    send: typeof fetch,
  ): Promise<string | undefined> {
    const response = await send(addressOf(fields, 'tags'), { headers: bearer(fields.API_KEY) });
    const tags = Tags.safeParse(await response.json());
    if (!tags.success || tags.data.models.some(({ name }) => isModel(name, model))) return undefined;
    return `The server does not have the model ${model}. \`ollama pull ${model}\` fetches it.`;
  }
}

function addressOf({ BASE_URL }: Fields, operation: string): string {
  return `${BASE_URL.replace(/\/+$/, '')}/api/${operation}`;
}

/** A name without a tag is the one with the tag `latest`. */
function isModel(name: string, wanted: string): boolean {
  return name === wanted || name === `${wanted}:latest`;
}
