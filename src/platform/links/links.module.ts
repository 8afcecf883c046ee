import { Global, Module } from '@nestjs/common';
import { PublicOrigin } from './public-origin.js';
import { SignedLinks } from './signed-links.js';

/** Makes addresses of this service that are given to others. */
@Global()
@Module({ providers: [PublicOrigin, SignedLinks], exports: [PublicOrigin, SignedLinks] })
export class LinksModule {}
