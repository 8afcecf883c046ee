import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Returns the source files with a function that was called during the work, according to V8's precise coverage. The
 * work is done several times, and a file counts if it ran each time: this leaves out what the service does by itself
 * now and then.
 */
export async function filesExecutedBy(times: number, work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  try {
    let always = await executedFiles(session, work);
    for (let time = 1; time < times; time += 1) always = always.intersection(await executedFiles(session, work));
    return [...always].sort();
  } finally {
    session.disconnect();
  }
}

async function executedFiles(session: Session, work: () => Promise<unknown>): Promise<Set<string>> {
  // Taking the counts resets them.
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const called = result.filter(({ functions }) => functions.some(({ ranges: [whole] }) => whole!.count > 0));
  const paths = called.flatMap(({ url }) => (url.startsWith('file:') ? [fileURLToPath(url.split('?')[0]!)] : []));
  return new Set(paths.filter((path) => path.startsWith(`${ROOT}src/`)).map((path) => path.slice(ROOT.length)));
}
