/**
 * The options with which Node runs the service. By default, V8 lets young objects fill up to 128 MiB before it collects
 * them. With 32 MiB a process has 100 to 150 MiB less under load, and computes as much (decision 0048). The Dockerfile
 * has the same options.
 */
export const NODE_OPTIONS = ['--max-semi-space-size=16'];
