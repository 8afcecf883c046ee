// A plugin with two sources of models. Both have a model of one name, and one has a model with the name of the mock.
import { createOpenAI } from '@ai-sdk/openai';
import { clock, defineErrors, ModelTarget, ProvidesModels, Settings } from 'slipway/plugin';
import { acmeConfig } from './acme.mjs';

/** @typedef {import('slipway/plugin').CallableModel} CallableModel */

const acmeErrors = defineErrors({
  modelAsleep: { status: 409, code: 'ACME_MODEL_ASLEEP', message: 'The model is asleep. Wake it first.' },
});

class AcmeModels extends ModelTarget {
  names = ['acme-large', 'acme-asleep', 'mock'];

  /** @param {Settings & { ACME_URL: string }} settings */
  constructor(settings) {
    super();
    this.openai = createOpenAI({ baseURL: settings.ACME_URL, apiKey: 'acme' });
  }

  /** @override @param {string} _projectId @param {string} named */
  async find(_projectId, named) {
    if (named === 'acme-asleep') throw acmeErrors.modelAsleep();
    return this.names.includes(named) ? this.model(named) : null;
  }

  /** @override */
  async list() {
    return this.names.filter((name) => name.startsWith('acme')).map((name) => this.model(name));
  }

  /** @param {string} id @returns {CallableModel} */
  model(id) {
    const { name } = this.constructor;
    return {
      id,
      name: `${name}/${id}`,
      provider: 'acme',
      createdAt: clock.now(),
      protocol: this.openai.chat(`${name}/${id}`),
      refusalOf: ({ tools = [] }) => (tools.length > 0 ? 'does not accept tools' : undefined),
    };
  }
}
Reflect.defineMetadata('design:paramtypes', [Settings], AcmeModels);
ProvidesModels()(AcmeModels);

class OtherModels extends AcmeModels {
  /** @override */
  names = ['acme-large', 'acme-small'];
}
ProvidesModels()(OtherModels);

export default acmeConfig([AcmeModels, OtherModels]);
