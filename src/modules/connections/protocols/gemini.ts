import { z } from 'zod';
import type { ModelProtocol } from '../../gateway/gateway.port.js';
import { address, secretField } from '../connection-fields.schema.js';
import { type CalledConnection, ConnectionProtocol, ConnectsTo } from '../connections.port.js';
import { geminiPiece } from './gemini-answer.js';
import { geminiRefusal } from './gemini-refusal.js';
import { geminiBody, unsupportedByGemini } from './gemini-request.js';
import { jsonModel } from './json-model.js';

const GOOGLE = 'https://generativelanguage.googleapis.com/v1beta';

const Fields = z.object({
  API_KEY: secretField().meta({ title: 'API key' }),
  BASE_URL: address.meta({ title: 'Base address', description: `Only for another address than ${GOOGLE}` }).optional(),
});
type Fields = z.infer<typeof Fields>;

@ConnectsTo({
  provider: 'Gemini',
  alsoCalled: ['gemini'],
  title: 'Google Gemini',
  ledgerName: 'google',
  fields: Fields,
  addresses: ['BASE_URL'],
})
export class GeminiProtocol extends ConnectionProtocol<Fields> {
  override readonly refusalOf = unsupportedByGemini;

  model(
    { model, fields: { API_KEY, BASE_URL = GOOGLE } }: CalledConnection<Fields>,
    send: typeof fetch,
  ): ModelProtocol {
    const base = `${BASE_URL.replace(/\/+$/, '')}/${pathOf(model)}`;
    const protocol = {
      provider: 'google',
      model,
      addressOf: (isStream: boolean) => `${base}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      headers: { 'x-goog-api-key': API_KEY },
      bodyOf: geminiBody,
      pieceIn: geminiPiece,
      refusalIn: geminiRefusal,
    };
    return jsonModel(protocol, send);
  }
}

/** A name with a slash is complete, such as `tunedModels/ours`. */
function pathOf(model: string): string {
  const name = model.includes('/') ? model : `models/${model}`;
  return name.split('/').map(encodeURIComponent).join('/');
}
