import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';

/** What Prometheus reads. Each part of the house registers its own measures here. */
@Injectable()
export class Metrics extends Registry {}
