import { Header } from '@nestjs/common';

/** What nobody but the caller may keep, and the caller not for the next time. */
export const NotCached = () => Header('cache-control', 'private, no-store, max-age=0');
