/** Redis is unavailable for a reason of which Slipway knows the remedy. */
export abstract class KnownOutage extends Error {
  /** The sentence is for everyone who reads the readiness. The reason may name hosts, so only the log has it. */
  constructor(
    readonly sentence: string,
    reason?: string,
  ) {
    super(reason ? `${sentence} (${reason})` : sentence);
  }
}

/** The server answers, but it is a replica, so it refuses all writes. */
export class LeadsToReplica extends KnownOutage {
  constructor() {
    super(
      'REDIS_URL leads to a replica, which refuses writes: name the master, or its sentinels as redis-sentinel://host:26379/master-name',
    );
  }
}

/** The server's certificate is refused, for the reason that TLS gives. */
export class RefusedCertificate extends KnownOutage {
  constructor(reason: string) {
    super(
      'its certificate is refused: name the file of its authority in NODE_EXTRA_CA_CERTS, and a host that the certificate has in REDIS_URL',
      reason,
    );
  }
}

/** The server refuses the connection, because Slipway sends no certificate of its own. */
export class DemandsCertificate extends KnownOutage {
  constructor(reason: string) {
    super(
      'the server demands a certificate of its clients, which Slipway does not send: set tls-auth-clients no',
      reason,
    );
  }
}

export function isReset({ message }: Error): boolean {
  return /ECONNRESET|EPIPE/.test(message);
}

/** Names the outage behind an error of TLS. Sentinels report only the text of an error. */
export function toOutage(error: Error): Error {
  const { message } = error;
  if (message.includes('alert certificate required')) return new DemandsCertificate(message);
  return message.includes('certificate') ? new RefusedCertificate(message) : error;
}
