import { Module } from '@nestjs/common';
import { z } from 'zod';
import { defineSlipwayConfig } from 'slipway/plugin';

/**
 * Makes the configuration of a service with one plugin, which asks the server at `ACME_URL`.
 * @param {import('@nestjs/common').Provider[]} providers
 */
export function acmeConfig(providers) {
  class AcmeModule {}
  Module({ providers })(AcmeModule);
  return defineSlipwayConfig({
    plugins: [
      {
        name: 'acme',
        slipway: '*',
        settings: { ACME_URL: z.url().describe('Address of Acme.') },
        modules: () => Promise.resolve([AcmeModule]),
      },
    ],
  });
}
