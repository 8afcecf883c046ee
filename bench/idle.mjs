import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { size, table } from './measure.mjs';
import { deployed, model } from './models.mjs';
import { commandsBetween, redisCounts, sumOf } from './redis-counts.mjs';

/** @import { Environment, Program } from './environment.mjs' */
/** @import { Figure } from './figures.mjs' */

const SETTLE_MS = 15_000;
const MEASURE_MS = size(120_000, 40_000);
const INSTALLATIONS = [
  { title: 'one process', roles: ['all'], hasModel: false },
  { title: 'two for the API, two workers', roles: ['api', 'api', 'worker', 'worker'], hasModel: false },
  ...size([{ title: 'one process with a deployed model', roles: ['all'], hasModel: true }], []),
];
const TARGET_COMMITS = 1;
const TARGET_CPU = 0.01;
const TARGET_MIB = 160;

/**
 * Measures what an installation without traffic asks of the database, of Redis and of the machine.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const rows = [
    [
      'installation',
      'commits a second',
      'commands of Redis a second',
      'connections to Redis',
      'of a core, each process',
      'resident memory, each',
    ],
  ];
  /** @type {Figure[]} */
  const figures = [];
  for (const { title, roles, hasModel } of INSTALLATIONS) {
    const programs = [];
    for (const role of roles) programs.push(await environment.startService({ SLIPWAY_ROLE: role }));
    if (hasModel) await deployed(programs[0]?.url ?? '', environment.adminKey, await model());
    const { commits, commands, connections, cpu, mebibytes } = await measure(environment, programs);
    const cores = cpu.map((part) => `${(part * 100).toFixed(1)} %`).join(', ');
    const memory = mebibytes.map((each) => `${each.toFixed(0)} MiB`).join(', ');
    rows.push([title, commits.toFixed(2), commands.toFixed(2), `${connections}`, cores, memory]);
    figures.push(
      {
        work: `idle: commits a second, ${title}`,
        ours: `${commits.toFixed(2)}, ${(commits / roles.length).toFixed(2)} for each process`,
        target: `below ${TARGET_COMMITS} for each`,
        isMet: commits / roles.length < TARGET_COMMITS,
      },
      {
        work: `idle: computing, ${title}`,
        ours: `${cores} of a core`,
        target: `below ${TARGET_CPU * 100} % each`,
        isMet: Math.max(...cpu) < TARGET_CPU,
      },
      {
        work: `idle: memory, ${title}`,
        ours: memory,
        target: `below ${TARGET_MIB} MiB each`,
        isMet: Math.max(...mebibytes) < TARGET_MIB,
      },
    );
    for (const program of programs) await program.stop();
  }
  console.log(table(rows));
  for (const figure of figures) environment.judge(figure);
  return true;
}

/**
 * @param {Environment} environment
 * @param {Program[]} programs
 */
async function measure({ databaseUrl, redisUrl }, programs) {
  await wait(SETTLE_MS);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const before = await commitsOf(client);
    const redisBefore = await redisCounts(redisUrl);
    const cpuBefore = programs.map((program) => program.cpuSeconds());
    await wait(MEASURE_MS);
    const seconds = MEASURE_MS / 1_000;
    const { commands, connections } = await redisCounts(redisUrl);
    const asked = commandsBetween(redisBefore.commands, commands);
    console.log(`Redis: ${asked.map(([name, calls]) => `${name} ${calls}`).join(', ')} in ${seconds} s`);
    return {
      // The query that read `before` is itself a commit, so it is subtracted.
      commits: ((await commitsOf(client)) - before - 1) / seconds,
      commands: sumOf(asked) / seconds,
      connections,
      cpu: programs.map((program, at) => (program.cpuSeconds() - (cpuBefore[at] ?? 0)) / seconds),
      mebibytes: programs.map((program) => program.residentBytes() / 2 ** 20),
    };
  } finally {
    await client.end();
  }
}

/** @param {pg.Client} client */
async function commitsOf(client) {
  const text = 'select xact_commit::float8 as commits from pg_stat_database where datname = current_database()';
  /** @type {pg.QueryResult<{ commits: number }>} */
  const { rows } = await client.query(text);
  return rows[0]?.commits ?? NaN;
}
