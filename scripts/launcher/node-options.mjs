/**
 * The options with which Node runs the service. On a machine with much memory, V8 lets young objects fill 128 MiB
 * before it collects them. With 32 MiB a process uses less memory under load, and computes as much (decision 0048).
 * The Dockerfiles, and the documents of plugins, have the same options.
 */
export const NODE_OPTIONS = ['--max-semi-space-size=16'];
