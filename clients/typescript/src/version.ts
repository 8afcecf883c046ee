/** The version of this package, and of the service whose API it was made for. */
export const VERSION = '0.1.0';
