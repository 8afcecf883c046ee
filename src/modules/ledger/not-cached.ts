import { Header } from '@nestjs/common';

/** What nobody but the caller may keep, and the caller not for the next time. */
export const NotCached = () => Header('cache-control', 'private, no-store, max-age=0');

/** The text that the method returns is JSON. */
export const RenderedJson = () => Header('content-type', 'application/json; charset=utf-8');
