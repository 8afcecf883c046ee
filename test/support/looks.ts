import { Notifications } from '../../src/platform/redis/notifications.js';
import type { Service } from './service.js';

/** Follows a topic without notifications, so that only looks by timer are counted. */
export function follower(service: Service, topic: string, { isFrequent }: { isFrequent: boolean }) {
  const abort = new AbortController();
  const follower = { looks: 0, leave: () => abort.abort() };
  const look = async () => {
    for await (const _ of service.app
      .get(Notifications)
      .follow(topic, { signal: abort.signal, mustLookOften: () => isFrequent })) {
      follower.looks += 1;
    }
  };
  look().catch(() => undefined);
  return follower;
}
