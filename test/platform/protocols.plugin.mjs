// A plugin with a protocol of connections. One of its secrets has a name that does not say so.
import { createOpenAI } from '@ai-sdk/openai';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import { ConnectionProtocol, ConnectsTo, defineSlipwayConfig, secretField } from 'slipway/plugin';

/** @typedef {{ BASE_URL: string, PIN: string }} Fields */
/** @typedef {import('slipway/plugin').CalledConnection<Fields>} Connection */

/** @extends {ConnectionProtocol<Fields>} */
class AcmeProtocol extends ConnectionProtocol {
  /** @override @param {Connection} connection @param {typeof fetch} send */
  model({ model, fields }, send) {
    return createOpenAI({ baseURL: fields.BASE_URL, apiKey: fields.PIN, fetch: send }).chat(model);
  }

  /** @override @param {import('slipway/plugin').ModelRequest} request */
  refusalOf({ tools = [] }) {
    return tools.length > 0 ? 'does not accept tools' : undefined;
  }

  /** @override @param {Connection} connection */
  problemOf({ model }) {
    return Promise.resolve(model === 'gone' ? 'Acme no longer has this model.' : undefined);
  }
}
ConnectsTo({
  provider: 'Acme',
  alsoCalled: ['acme'],
  title: 'Acme models',
  ledgerName: 'acme-cloud',
  fields: z.object({
    BASE_URL: z.string().meta({ title: 'Base address' }),
    PIN: secretField().meta({ title: 'Number' }),
  }),
  addresses: ['BASE_URL'],
})(AcmeProtocol);

class AcmeModule {}
Module({ providers: [AcmeProtocol] })(AcmeModule);

export default defineSlipwayConfig({
  plugins: [{ name: 'acme', slipway: '*', modules: () => Promise.resolve([AcmeModule]) }],
});
