/**
 * The first signal asks to stop, a later one insists.
 * @param {() => void} stop
 * @param {() => void} force
 */
export function onStopSignal(stop, force) {
  let asked = 0;
  const ask = () => {
    // npm passes on the Ctrl-C that the terminal has sent already: one key, two signals.
    if (Date.now() - asked < 1000) return;
    if (asked) return force();
    asked = Date.now();
    stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, ask);
  if (process.env.npm_lifecycle_event) watchParent(() => asked || ask());
  // A terminal that is gone takes no more lines; what was started must still be stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/**
 * An npm that is killed leaves its script running, and a port that no one knows how to free.
 * @param {() => void} onGone
 */
function watchParent(onGone) {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && onGone(), 500).unref();
}
