import { configOf, expectRefusal, loading } from '../support/refused-start.js';

const providing = (name: string) =>
  `class AcmeModule {} Module({ providers: [${name}] })(AcmeModule); export const modules = [AcmeModule];`;

it.each([
  [
    'protocols that call the same provider',
    `class AcmeProtocol extends slipway.ConnectionProtocol {}
     const said = { provider: 'Acme', alsoCalled: ['openai'], title: 'Acme', ledgerName: 'acme', fields: z.object({}) };
     slipway.ConnectsTo(said)(AcmeProtocol);
     ${providing('AcmeProtocol')}`,
    'OpenAiProtocol of Slipway and AcmeProtocol of the plugin acme both call the provider openai. Rename one of them.',
  ],
  [
    'classes that run the nodes of one type',
    `class AcmeWait extends slipway.NodeKind {}
     slipway.FlowNodeKind({ type: 'wait', description: 'Waits.', members: z.object({}) })(AcmeWait);
     ${providing('AcmeWait')}`,
    'WaitKind of Slipway and AcmeWait of the plugin acme both run the nodes of the type wait. Rename one of them.',
  ],
  [
    'classes whose checks of the readiness have one name',
    `class AcmeRedisCheck extends slipway.ReadinessCheck {}
     slipway.ChecksReadiness({ name: 'redis', failure: 'does not answer' })(AcmeRedisCheck);
     ${providing('AcmeRedisCheck')}`,
    'RedisCheck of Slipway and AcmeRedisCheck of the plugin acme both check the readiness of redis. Rename one of them.',
  ],
  [
    'kinds of hosts that have one name',
    `class AcmeHost extends slipway.ModelHost {}
     slipway.HostsModels({ name: 'local' })(AcmeHost);
     ${providing('AcmeHost')}`,
    'LocalHost of Slipway and AcmeHost of the plugin acme both host models as local. Rename one of them.',
  ],
])('ends with the names of two %s, and of the plugin', async (_, statements, message) => {
  await expectRefusal(
    configOf(loading('acme', statements)),
    `The modules of the plugin acme cannot be loaded: ${message}`,
  );
});

it('tells classes of two plugins with one name apart', async () => {
  const host = `class Host extends slipway.ModelHost {} slipway.HostsModels({ name: 'gpu' })(Host);`;
  await expectRefusal(
    configOf(loading('acme', host), loading('bolt', host)),
    'Host of the plugin acme and Host of the plugin bolt both host models as gpu. Rename one of them.',
  );
});

it.each([
  ['oidc', 'OidcIdentity of Slipway and AcmeIdentity of the plugin acme both identify administrators as oidc.'],
  ['key', 'AdminKeyIdentity of Slipway and AcmeIdentity of the plugin acme both identify administrators as key.'],
  ['Acme:1', 'The identity Acme:1 needs another name, of lower-case letters, digits and hyphens.'],
  ['acme', 'AcmeIdentity is to identify administrators as acme, so it has to extend AdminIdentity.', 'Object'],
])(
  'ends with a sentence if an identity of administrators is wrong: %s, %s',
  async (name, message, base = 'slipway.AdminIdentity') => {
    const identity = `class AcmeIdentity extends ${base} {}
      slipway.IdentifiesAdministrators({ name: '${name}', title: 'Acme' })(AcmeIdentity);`;
    await expectRefusal(configOf(loading('acme', identity)), message);
  },
);

const event = `const event = slipway.defineEvent('acme.sold', z.object({}));`;
const listener = (options: string) =>
  `${event} class AcmeListener { sell() {} }
   const method = Object.getOwnPropertyDescriptor(AcmeListener.prototype, 'sell');
   slipway.OnEvent(event, ${options})(AcmeListener.prototype, 'sell', method);`;

it.each([
  [
    'handles a job',
    `const job = slipway.defineJob('acme.work', { queue: 'upkeep', data: z.object({}), attempts: 1 });
     class AcmeWork extends slipway.JobHandler {} slipway.HandlesJob(job)(AcmeWork);`,
    'AcmeWork is to handle the job acme.work',
  ],
  [
    'hosts models',
    `class AcmeHost extends slipway.ModelHost {} slipway.HostsModels({ name: 'acme' })(AcmeHost);`,
    'AcmeHost is to host models as acme',
  ],
  [
    'provides models',
    `class AcmeModels extends slipway.ModelTarget {} slipway.ProvidesModels()(AcmeModels);`,
    'AcmeModels is to provide models',
  ],
  ['listens to an event', listener('undefined'), 'AcmeListener is to listen to the event acme.sold'],
  ['listens durably', listener('{ durable: true }'), 'AcmeListener is to listen to the event acme.sold'],
])('names a class that %s if no module provides it', async (_, statements, message) => {
  await expectRefusal(
    configOf(loading('acme', statements)),
    `${message}, and no module provides it. List it in the \`providers\` of a module.`,
  );
});

it('ends if a class that overrides a durable listener does not listen itself', async () => {
  const statements = `${listener('{ durable: true }')}
    class OtherListener extends AcmeListener { sell() {} }
    ${providing('OtherListener')}`;
  await expectRefusal(
    configOf(loading('acme', statements)),
    'No module provides a class that handles the job events.acme.sold.AcmeListener.sell.',
  );
});

const check = `class CatalogueCheck extends slipway.ReadinessCheck {}
  slipway.ChecksReadiness({ name: 'acme', failure: 'does not answer' })(CatalogueCheck);`;

it.each([
  [
    'is in two modules',
    `class AModule {} Module({ providers: [CatalogueCheck] })(AModule);
     class BModule {} Module({ providers: [CatalogueCheck] })(BModule);
     export const modules = [AModule, BModule];`,
    'CatalogueCheck is to check the readiness of acme, and it is provided twice, in AModule and BModule.',
  ],
  [
    'has the mark of a class that it extends',
    `class PricesCheck extends CatalogueCheck {}
     class AModule {} Module({ providers: [CatalogueCheck, PricesCheck] })(AModule);
     export const modules = [AModule];`,
    'CatalogueCheck and PricesCheck of the plugin acme both check the readiness of acme.',
  ],
])('ends with one sentence if a marked class %s', async (_, modules, message) => {
  await expectRefusal(configOf(loading('acme', check + modules)), message);
});

const onEvent = (given: string) =>
  `class AcmeListener { sell() {} }
   const method = Object.getOwnPropertyDescriptor(AcmeListener.prototype, 'sell');
   slipway.OnEvent(${given})(AcmeListener.prototype, 'sell', method);`;

it.each([
  [onEvent('undefined'), 'AcmeListener.sell listens to an event that is undefined. Is its file imported in a circle?'],
  [
    onEvent(`'session.ended', { durable: true }`),
    'AcmeListener.sell listens to an event that defineEvent did not make. Import it from the file that defines it.',
  ],
  [
    `class AcmeWork extends slipway.JobHandler {} slipway.HandlesJob(undefined)(AcmeWork);`,
    'AcmeWork handles a job that is undefined. Is its file imported in a circle?',
  ],
])('refuses what was never defined, in the case %#', async (statements, message) => {
  await expectRefusal(
    configOf(loading('acme', statements)),
    `The modules of the plugin acme cannot be loaded: ${message}`,
  );
});
