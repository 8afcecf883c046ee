const { readFileSync } = require('node:fs');

/** The import law: kernel ← platform ← modules, and modules enter one another only by their doors. */
const DOORS = '\\.(module|service|port|events|entity|errors|list|schema)\\.ts$';
/** The list of the permissions of all modules. The schemas of the module access list them. */
const PERMISSIONS = '^src/modules/permissions\\.ts$';
/** The files of tests that are compiled into the package. */
const PACKED = require('./tsconfig.build.json').include.filter((path) => path.startsWith('test/'));
/** The files whose exports a plugin gets. */
const FOR_PLUGINS = [...readFileSync('src/plugin.ts', 'utf8').matchAll(/'\.\/(.+)\.js'/g)].map(
  ([, name]) => `^src/${name}\\.ts$`,
);

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment:
        'Circles of types alone vanish when compiled. Entities, repositories and their statements may know one another: an entity names its repository in a function, and that reads the columns of its entity in methods, so neither needs the other while it is loaded.',
      severity: 'error',
      from: {},
      to: {
        circular: true,
        viaOnly: { dependencyTypesNot: ['type-only'] },
        via: { pathNot: '\\.(entity|repository|statements)\\.ts$' },
      },
    },
    {
      name: 'no-circles-of-folders',
      comment: 'Of the platform: a folder is understood with those it stands on, and without those that stand on it.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/platform' },
      to: { circular: true },
    },
    {
      name: 'kernel-is-plain',
      comment: 'Plain TypeScript: no Nest, no ORM, nothing above it.',
      severity: 'error',
      from: { path: '^src/kernel' },
      to: { path: ['^src/(platform|modules)', 'node_modules/(@nestjs|@mikro-orm|pg|ioredis|express)'] },
    },
    {
      name: 'platform-knows-no-domain',
      severity: 'error',
      from: { path: '^src/platform' },
      to: { path: '^src/modules' },
    },
    {
      name: 'neighbours-by-the-door',
      comment:
        'A module enters its neighbour by *.module, *.service, *.port, *.events, *.errors, *.list, *.schema, and refers to its entities.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', DOORS, PERMISSIONS] },
    },
    {
      name: 'entries-are-on-top',
      comment:
        'The programs and the doors of the package are made of the modules. A plugin enters by these doors alone.',
      severity: 'error',
      from: { path: '^src/(kernel|platform|modules)' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'proofs-are-as-plugins',
      comment:
        'These protocols and nodes prove that a plug point needs nothing else: beside their own folder, they have what a plugin has.',
      severity: 'error',
      from: { path: '^src/modules/(connections/protocols/(gemini|ollama)|tools/nodes/(wait|transform))' },
      to: {
        path: '^src/(platform|modules)',
        pathNot: ['^src/modules/(connections/protocols|tools/nodes)/', ...FOR_PLUGINS],
      },
    },
    {
      name: 'permissions-are-data',
      comment: 'Every module may load the permissions of all modules, because they stand on the kernel alone.',
      severity: 'error',
      from: { path: [PERMISSIONS, '\\.permissions\\.ts$'] },
      to: { pathNot: ['^src/kernel', '\\.permissions\\.ts$'] },
    },
    {
      name: 'only-queue-knows-bull',
      severity: 'error',
      from: { pathNot: '^src/platform/queue' },
      to: { path: 'node_modules/(bull|@nestjs/bull)' },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      from: { path: '^src' },
      to: { path: '^(test|bench|scripts|clients|console|examples)' },
    },
    {
      name: 'testing-is-packed',
      comment: 'The package has only these files of the tests: those that tsconfig.build.json lists.',
      severity: 'error',
      from: { path: '^test' },
      to: { path: '^(test|scripts|bench)', pathNot: PACKED },
    },
    {
      name: 'client-stands-alone',
      comment: 'The client is a package of its own, whose one dependency is openapi-fetch.',
      severity: 'error',
      from: { path: '^clients/typescript/src' },
      to: { pathNot: ['^clients/typescript/src', 'node_modules/openapi-fetch/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'browsers-have-no-node',
      comment: 'Only the command line and uploads from a path need Node.',
      severity: 'error',
      from: { path: '^clients/typescript/src', pathNot: ['/src/cli/', '/src/upload/path-source\\.ts$'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'api-of-the-console-stands-alone',
      severity: 'error',
      from: { path: '^console/src/api/' },
      to: { path: '^console/src/', pathNot: '^console/src/api/' },
    },
    {
      name: 'parts-of-the-console-know-no-page',
      comment: 'The router imports the pages, and each page takes what it needs from the parts.',
      severity: 'error',
      from: { path: '^console/src/parts/' },
      to: { path: '^console/src/pages/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared',
      comment:
        'What src and slipway/testing import is a dependency of its own or a peer, not one of a dependency, because both are packed.',
      severity: 'error',
      from: { path: '^(src|test)' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only', 'npm-peer'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
