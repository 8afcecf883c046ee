/**
 * The options with which Node runs the service. On a machine with much memory, V8 lets young objects fill 128 MiB
 * before it collects them. With two halves of 16 MiB, a process uses less memory under load and needs no more computing
 * (decision 0048).
 * The Dockerfiles, and the documents of plugins, have the same options.
 */
export const NODE_OPTIONS = ['--max-semi-space-size=16'];
