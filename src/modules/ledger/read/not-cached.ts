import { Header } from '@nestjs/common';

/** Forbids all caches, including the one of the client, to store the answer. */
export const NotCached = () => Header('cache-control', 'private, no-store, max-age=0');
