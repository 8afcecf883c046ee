// A plugin with two checks of the readiness. A server says what each of them finds.
import { ChecksReadiness, ReadinessCheck, Settings } from 'slipway/plugin';
import { acmeConfig } from './acme.mjs';

/** @typedef {import('slipway/plugin').ReadinessFinding} Finding */

class Asking extends ReadinessCheck {
  /** @param {Settings & { ACME_URL: string }} settings */
  constructor(settings) {
    super();
    this.url = `${settings.ACME_URL}/${this.constructor.name}`;
  }

  /** @override @param {AbortSignal} signal @returns {Promise<Finding | null>} */
  async check(signal) {
    const response = await fetch(this.url, { signal });
    const answer = /** @type {Finding | null} */ (await response.json());
    // JSON has no undefined.
    return answer?.status === 'up' && answer.message === 'undefined' ? { ...answer, message: undefined } : answer;
  }
}
Reflect.defineMetadata('design:paramtypes', [Settings], Asking);

class Catalogue extends Asking {}
ChecksReadiness({ name: 'acme-catalogue', failure: 'does not answer' })(Catalogue);

class Prices extends Asking {}
ChecksReadiness({ name: 'acme-prices', failure: 'are old', isDispensable: true })(Prices);

export default acmeConfig([Catalogue, Prices]);
