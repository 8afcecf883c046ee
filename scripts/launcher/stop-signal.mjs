/**
 * The first signal asks to stop, a later one insists.
 * @param {() => void} stop
 * @param {() => void} force
 */
export function onStopSignal(stop, force) {
  let asked = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // npm passes on the Ctrl-C that the terminal has sent already: one key, two signals.
      if (Date.now() - asked < 1000) return;
      if (asked) return force();
      asked = Date.now();
      stop();
    });
  }
  // A terminal that is gone takes no more lines; what was started must still be stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
