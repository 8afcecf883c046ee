import { Controller, Module } from '@nestjs/common';
import { data, defineSlipwayConfig, Route } from 'slipway/plugin';
import { z } from 'zod';

const Greeting = z.object({ greeting: z.string().meta({ examples: ['Hello'] }) });

function greetingsModule() {
  class Greetings {
    greet() {
      return { greeting: 'Hello' };
    }
  }
  const options = /** @type {const} */ ({ access: 'anyKey', summary: 'Read a greeting', returns: data(Greeting) });
  const method = Object.getOwnPropertyDescriptor(Greetings.prototype, 'greet') ?? {};
  Route('GET /api/v1/greeting', options)(Greetings.prototype, 'greet', method);
  Controller()(Greetings);
  class GreetingsModule {}
  Module({ controllers: [Greetings] })(GreetingsModule);
  return Promise.resolve([GreetingsModule]);
}

export default defineSlipwayConfig({
  plugins: [{ name: 'greetings', slipway: '*', modules: greetingsModule }],
});
