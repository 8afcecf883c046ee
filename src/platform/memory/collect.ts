import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects garbage when it is called. V8 does so by itself only while something is allocated. */
export const collect = runInNewContext('gc') as NodeJS.GCFunction;
