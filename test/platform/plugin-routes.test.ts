import { configOf, expectRefusal, loading } from '../support/refused-start.js';

const declare = `
  const declare = (controller, method, decorate) =>
    decorate(controller.prototype, method, Object.getOwnPropertyDescriptor(controller.prototype, method));
  const moduleOf = (controller) => {
    class AcmeModule {}
    Controller()(controller);
    Module({ controllers: [controller] })(AcmeModule);
    return [AcmeModule];
  };
  const returns = slipway.data(z.object({}));`;

it.each([
  ['of one plugin', 'Reports.other of the plugin acme', '/api/v1/reports/{other}'],
  ['of a plugin and of Slipway', 'ScopesController.read of Slipway', '/aaa/api/public/apps/{app}/scopes/{other}'],
])('ends with the names of two routes %s that answer the same requests', async (_, other, path) => {
  const reports = `${declare}
    class Reports { other() {} read() {} }
    const options = { access: 'anyKey', summary: 'Read a report', returns };
    declare(Reports, 'other', slipway.Route('GET /api/v1/reports/{name}', options));
    declare(Reports, 'read', slipway.Route('GET ${path}', options));
    export const modules = moduleOf(Reports);`;
  await expectRefusal(
    configOf(loading('acme', reports)),
    `${other} and Reports.read of the plugin acme both answer GET ${path}. Change the path of one of them.`,
  );
});

it.each([
  ['before', 'acme', 'bolt'],
  ['after', 'bolt', 'acme'],
])('names both routes if a name is %s a parameter of another plugin', async (_, first, second) => {
  const reports = (path = '') => `${declare}
    class Reports { read() {} }
    const options = { access: 'anyKey', summary: 'Read a report', returns };
    declare(Reports, 'read', slipway.Route('GET ${path}', options));
    export const modules = moduleOf(Reports);`;
  const paths: Record<string, string> = { acme: '/api/v1/reports/newest', bolt: '/api/v1/reports/{report}' };
  await expectRefusal(
    configOf(loading(first, reports(paths[first])), loading(second, reports(paths[second]))),
    `Reports.read of the plugin ${first} and Reports.read of the plugin ${second} both answer GET ${paths[second]}.`,
  );
});

it('tells routes of two plugins with classes of one name apart', async () => {
  const reports = `${declare}
    class Reports { read() {} }
    declare(Reports, 'read', slipway.Route('GET /api/v1/reports', { access: 'anyKey', summary: 'Read', returns }));
    export const modules = moduleOf(Reports);`;
  await expectRefusal(
    configOf(loading('acme', reports), loading('bolt', reports)),
    'Reports.read of the plugin acme and Reports.read of the plugin bolt both answer GET /api/v1/reports.',
  );
});

it.each(['/docs', '/queues', '/console/reports'])(
  'names a route that Slipway would answer itself at %s',
  async (path) => {
    const reports = `${declare}
    class Reports { read() {} }
    declare(Reports, 'read', slipway.Route('GET ${path}', { access: 'public', summary: 'Read a report', returns }));
    export const modules = moduleOf(Reports);`;
    await expectRefusal(
      configOf(loading('acme', reports)),
      `Slipway and Reports.read of the plugin acme both answer GET ${path}. Change the path of the route.`,
    );
  },
);

it.each([
  ['ends with a slash', '/api/v1/reports/'],
  ['has an empty segment', '/api/v1//reports'],
  ['has a parameter in the style of Express', '/api/v1/reports/:name'],
])('names a route whose path %s', async (_, path) => {
  const reports = `${declare}
    class Reports { read() {} }
    declare(Reports, 'read', slipway.Route('GET ${path}', { access: 'anyKey', summary: 'Read a report', returns }));
    export const modules = moduleOf(Reports);`;
  await expectRefusal(
    configOf(loading('acme', reports)),
    `The path ${path} of Reports.read of the plugin acme needs a change.`,
  );
});

it('names a controller that has a path of its own', async () => {
  const reports = `${declare}
    class Reports { read() {} }
    declare(Reports, 'read', slipway.Route('GET /reports', { access: 'anyKey', summary: 'Read a report', returns }));
    class AcmeModule {}
    Controller('api/v1')(Reports);
    Module({ controllers: [Reports] })(AcmeModule);
    export const modules = [AcmeModule];`;
  await expectRefusal(
    configOf(loading('acme', reports)),
    'Reports of the plugin acme has the path api/v1. Remove it, and write the whole path in each @Route.',
  );
});

it('names two routes that have one operation id', async () => {
  const reports = `${declare}
    class ScopesController { read() {} }
    const options = { access: 'anyKey', summary: 'Read a scope', returns };
    declare(ScopesController, 'read', slipway.Route('GET /api/v1/scope', options));
    export const modules = moduleOf(ScopesController);`;
  await expectRefusal(
    configOf(loading('acme', reports)),
    'ScopesController.read of Slipway and ScopesController.read of the plugin acme both have the operation id Scopes_read.',
  );
});

it.each([
  ['an answer', 'Scope', `slipway.page(z.object({}).meta({ id: 'Scope', examples: [{}] }))`],
  ['a request', 'UpdateScopeInput', `slipway.data(z.object({}).meta({ id: 'UpdateScopeInput', examples: [{}] }))`],
])('names two routes whose schemas share the name of that of %s', async (_, name, answer) => {
  const reports = `${declare}
    class Reports { list() {} }
    const options = { access: 'anyKey', summary: 'List', returns: ${answer} };
    declare(Reports, 'list', slipway.Route('GET /api/v1/reports', options));
    export const modules = moduleOf(Reports);`;
  await expectRefusal(
    configOf(loading('acme', reports)),
    new RegExp(
      `\\w+\\.\\w+ of Slipway and Reports\\.list of the plugin acme have two schemas with the name ${name} in`,
    ),
  );
});

it('names a route of the administration whose path leads to no project', async () => {
  const reports = `${declare}
    class Reports { read() {} }
    declare(Reports, 'read', slipway.AdminRoute('GET /reports/{reportId}', { summary: 'Read a report', returns }));
    slipway.PathId('report')(Reports.prototype, 'read', 0);
    export const modules = moduleOf(Reports);`;
  await expectRefusal(
    configOf(loading('reports', reports, `ids: { report: 'rpt-' },`)),
    'GET /api/admin/v1/reports/{reportId} begins with an id that does not lead to a project: reportId.',
  );
});

it.each([
  ['access', `access: 'REPORTS_READ'`],
  ['permissionForOtherScopes', `access: 'anyKey', permissionForOtherScopes: 'REPORTS_READ'`],
])('names a route that demands an unknown permission as %s', async (_, access) => {
  const reports = `${declare}
    class Reports { read() {} }
    declare(Reports, 'read', slipway.Route('GET /api/v1/reports', { ${access}, summary: 'Read a report', returns }));
    export const modules = moduleOf(Reports);`;
  await expectRefusal(
    configOf(loading('acme', reports)),
    'Reports.read of the plugin acme demands the permission REPORTS_READ, which does not exist.',
  );
});

it.each([
  ['newId', `slipway.newId('knowlegeBase');`],
  ['id', `slipway.id('knowlegeBase');`],
  ['ownId', `slipway.ownId('knowlegeBase');`],
  ['PathId', `slipway.PathId('knowlegeBase');`],
  ['InProject', `slipway.InProject('knowlegeBase');`],
])('names the plugin that gives an unknown kind of ids to %s', async (_, statement) => {
  await expectRefusal(
    configOf(loading('acme', statement, `ids: { knowledgeBase: 'kb-' },`)),
    'The modules of the plugin acme cannot be loaded: There is no kind of ids knowlegeBase. A plugin names its kinds in',
  );
});

it('names two entities that lead to the project of one kind of ids', async () => {
  const entities = `
    const make = (entity, tableName) => {
      PrimaryKey({ type: 'text' })(entity.prototype, 'id');
      Entity({ tableName })(entity);
      slipway.InProject('report')(entity);
      return entity;
    };
    const entities = [make(class Report {}, 'acme_report'), make(class Draft {}, 'acme_draft')];
    class AcmeModule {}
    Module({ imports: [MikroOrmModule.forFeature(entities)] })(AcmeModule);
    export const modules = [AcmeModule];`;
  await expectRefusal(
    configOf(loading('acme', entities, `ids: { report: 'rpt-' },`)),
    /(Report and Draft|Draft and Report) are both marked with @InProject\('report'\)\. Give each a kind of its own\./,
  );
});
