import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';

/** The registry that Prometheus reads. Each part of the service registers its own metrics here. */
@Injectable()
export class Metrics extends Registry {}
