#!/usr/bin/env node
import { runCommandLine } from './run.js';
import { Terminal } from './terminal.js';

// A reader such as `head` may close its end early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), process.env, new Terminal());
