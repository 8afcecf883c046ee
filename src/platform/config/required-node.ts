const REQUIRED = 24;
const { node: version } = process.versions;

// The process ends while this module is loaded, because packages that are loaded after it fail on an older Node.
if (Number.parseInt(version) < REQUIRED) {
  process.stderr.write(`Slipway needs Node ${REQUIRED} or later, and this is ${version}.\n`);
  process.exit(1);
}
