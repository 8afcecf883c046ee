export interface Seen {
  address: string;
  status: number;
  headers: Headers;
  html: string;
}

/** A person with a browser of their own. It keeps cookies, follows redirects, and sends forms. */
export class Visitor {
  private readonly cookies = new Map<string, string>();

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Requests one page as browsers do. */
  async open(address: string, form?: Record<string, string>): Promise<Seen> {
    const response = await fetch(address, {
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      headers: { cookie: this.cookie, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return { address, status: response.status, headers: response.headers, html: await response.text() };
  }

  /** Opens the page on which a sign-in begins, and sends its form. */
  async begin(address: string, code?: string): Promise<Seen> {
    const { html } = await this.open(address);
    return this.open(address, { ...fieldsIn(html), ...(code !== undefined && { code }) });
  }

  /** Signs in at the provider, and returns the address to which it sends the person back. */
  async signIn(address: string, home: string, login = 'ada'): Promise<string> {
    let next = address;
    for (let hops = 0; hops < 20; hops += 1) {
      if (next.startsWith(home)) return next;
      const { headers, html } = await this.open(next);
      const location = headers.get('location') ?? (await this.submit(html, next, login));
      next = new URL(location, next).href;
    }
    throw new Error(`The sign-in leads nowhere: ${next}`);
  }

  private async submit(html: string, from: string, login: string): Promise<string> {
    const action = unescaped(/action="([^"]+)"/.exec(html)![1]!);
    const prompt = /name="prompt" value="([^"]+)"/.exec(html)![1]!;
    const { headers } = await this.open(new URL(action, from).href, { prompt, login, password: 'x' });
    return headers.get('location')!;
  }
}

/** Returns the address to which a page refreshes. */
export function onwardFrom({ html }: Seen): string {
  const address = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(html)?.[1];
  if (!address) throw new Error(`The page leads nowhere: ${html}`);
  return unescaped(address);
}

/** Returns the hidden field of the page's form. */
export function fieldsIn(html: string): { token: string } {
  return { token: /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '' };
}

function unescaped(text: string): string {
  return text.replaceAll('&amp;', '&');
}
