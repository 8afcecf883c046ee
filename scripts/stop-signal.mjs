/**
 * Asks to stop at the first signal, and forces it at a later one.
 * @param {() => void} stop
 * @param {() => void} force
 */
export function onStopSignal(stop, force) {
  let asked = 0;
  const ask = () => {
    // The terminal sends Ctrl-C to this process, and npm passes it on: one key, two signals.
    if (Date.now() - asked < 1000) return;
    if (asked) return force();
    asked = Date.now();
    stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, ask);
  if (process.env.npm_lifecycle_event) watchParent(() => asked || ask());
  // A closed terminal takes no more lines, but the started processes must still be stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/**
 * Ends this script when its parent is gone. An npm that is killed would otherwise leave its script running on a port
 * that the user cannot free.
 * @param {() => void} onGone
 */
function watchParent(onGone) {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && onGone(), 500).unref();
}
