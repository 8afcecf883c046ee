import { SlipwayError } from './errors.js';

/** Refuses an answer with a success that Slipway cannot have sent, such as the page of another server. */
export async function refuseStranger(url: string, response: Response, isStream: boolean): Promise<void> {
  if (isStream ? !isPage(response) : isJson(await response.clone().text())) return;
  await response.body?.cancel().catch(() => undefined);
  const message = `${new URL(url).origin} answers, but not as Slipway does. Check the address, its port and its path.`;
  throw new SlipwayError('ANSWER_NOT_OF_SLIPWAY', message);
}

/** A stream is not read here, so its type has to tell. */
function isPage({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') ?? false;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
