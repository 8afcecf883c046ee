import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Locator, Page, Route } from 'playwright-core';
import { administratorOf } from './actors.js';
import { chromiumOfWorker } from './chromium.js';
import { signInToConsole } from './console.js';
import { eventually } from './eventually.js';
import type { Target } from './service.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The machine may be slow. Nothing waits for this long if all is well. */
const PATIENCE_MS = 30_000;
/**
 * A page is opened when its data has arrived, or after this time. Playwright looks only twice a second for what is not
 * there at once.
 */
const READING_MS = 1_000;
/** After this time, a page that the user comes back to reads its data again, and repeats a request that failed. */
const ABSENCE_MS = 1_000;

/**
 * Returns code that opens an address in the browser as a link of the console does. The policy of the page forbids
 * Playwright's own way of waiting for a condition, so the code waits itself.
 */
function following(path: string): string {
  return `(async () => {
    const open = (path) => history.pushState({}, '', '/console' + path);
    const isNoPage = () => document.body.textContent.includes('There is no page at this address.');
    const end = performance.now() + ${PATIENCE_MS};
    const until = async (isReached) => {
      while (!isReached()) {
        if (performance.now() > end) throw new Error('The console stays on its page');
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    };
    open('/no-page');
    await until(isNoPage);
    open(${JSON.stringify(path)});
    await until(() => !isNoPage());
    const limit = performance.now() + ${READING_MS};
    await until(() => !document.querySelector('[role=status][aria-label=Loading]') || performance.now() > limit);
  })()`;
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/**
 * Runs only the rules whose faults can be serious, because the others take a third of the time. Leaves out what was found
 * to be well, because bringing that from the browser took longer than the search.
 */
const AXE_RUN = `axe
  .run(document, {
    resultTypes: ['violations'],
    preload: false,
    selectors: false,
    runOnly: axe._audit.rules
      .filter(({ enabled, impact }) => enabled && impact !== 'minor' && impact !== 'moderate')
      .map(({ id }) => id),
  })
  .then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => ({ html })) })))`;

/** A browser that has opened the console of a service. It collects all that its tabs report. */
export class ConsoleBrowser {
  private readonly reported: string[] = [];
  /** Messages that the browser may report. A report may be late, so what the test before has expected is expected too. */
  private expected: RegExp[] = [];
  private expectedBefore: RegExp[] = [];
  private isSignedIn = false;
  private hasOwnClock = false;

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    private readonly target: Target,
  ) {
    // The context reports for all of its tabs. The console writes nothing itself, so each message is a fault.
    context.on('console', (message) => this.report(message.text()));
    context.on('weberror', (fault) => this.reported.push(fault.error().message));
  }

  static async open(target: Target): Promise<ConsoleBrowser> {
    const browser = await chromiumOfWorker();
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      locale: 'en-GB',
      // Nothing moves, so Playwright need not wait until it has stopped.
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    return new ConsoleBrowser(context, page, target);
  }

  /** Loads the console at an address such as `/apps/…/ledger`, with nothing in its memory. */
  async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.target.url}/console${path}`);
  }

  /** Signs in with the key of an administrator, in the window that asks for it. */
  async signIn(): Promise<void> {
    await this.goTo('/');
    await this.page.getByRole('dialog').getByLabel('Administration key').fill(this.target.adminKey);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
    this.isSignedIn = true;
  }

  /** Signs in as `signIn` does, but without the window and the page behind it, which take longer than the request. */
  async signInAtOnce(administrator = administratorOf(this.target)): Promise<void> {
    const { cookie } = await signInToConsole(administrator);
    const [name = '', value = ''] = cookie.split('=', 2);
    await this.context.addCookies([{ name, value, url: this.target.url, httpOnly: true, sameSite: 'Strict' }]);
    this.isSignedIn = true;
  }

  /**
   * Opens the page as a link of the console does. Loading the console for each page takes most of the time of a test. A
   * page that does not exist is opened first, so that nothing of the page before is taken for the next.
   */
  async open(path: string): Promise<void> {
    const isLoaded = this.page.url() !== 'about:blank';
    if (this.isSignedIn && isLoaded) await this.page.evaluate(following(path));
    else await this.goTo(path);
  }

  /**
   * Opens the page as `open` does, and waits for the text that shows that its data has arrived. Fails if a part of the
   * page shows an error.
   */
  async see(path: string, text: string | RegExp): Promise<void> {
    await this.open(path);
    try {
      await this.shown().getByText(text).filter({ visible: true }).first().waitFor();
    } catch {
      throw new Error(`${text} was not seen in ${await this.page.locator('body').innerText()}`);
    }
    await this.page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    expect(await this.page.getByRole('alert').allInnerTexts()).toEqual([]);
  }

  /** The page and what is opened on it, without the navigation, which names the app on each page. */
  private shown(): Locator {
    return this.page.getByRole('main').or(this.page.getByRole('dialog'));
  }

  /** Tells the page that its user looks at another one. */
  async lookAway(): Promise<void> {
    await this.page
      .evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      window.dispatchEvent(new Event('visibilitychange'))`);
  }

  /** Tells the page that its user looks at it again, so that it reads again what may be old. */
  async comeBack(): Promise<void> {
    await this.page.evaluate(`delete document.visibilityState; window.dispatchEvent(new Event('visibilitychange'))`);
  }

  /** Gives the pages a clock that `comeBackUntil` puts forward, so that no test waits for a refresh or a retry. */
  async useClock(): Promise<void> {
    await this.page.clock.install();
    this.hasOwnClock = true;
  }

  /**
   * Waits until the page shows what has changed elsewhere or hides it, or until the function returns true. The user comes
   * back to the page again and again, because a list that was read a moment ago is not read at once.
   */
  async comeBackUntil(
    changed: Locator | (() => boolean | Promise<boolean>),
    state: 'visible' | 'hidden' = 'visible',
  ): Promise<void> {
    const isSo = typeof changed === 'function' ? changed : () => changed.first().isVisible();
    await eventually(
      async () => {
        if (this.hasOwnClock) await this.page.clock.fastForward(ABSENCE_MS);
        await this.comeBack();
        return isSo();
      },
      (is) => is === (state === 'visible'),
    );
  }

  /** Lets the service act on the next POST to the path, and the browser get no answer to it. */
  async loseAnswer(path: string, until = Promise.resolve()): Promise<void> {
    const isMeant = ({ pathname }: URL) => pathname === path;
    const lose = async (route: Route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      await until;
      await route.abort();
      await this.page.unroute(isMeant, lose);
    };
    await this.page.route(isMeant, lose);
  }

  /** Lets the browser report refusals of these statuses until the next test ends. */
  expectRefusals(...statuses: number[]): void {
    for (const status of statuses) this.expectReports(new RegExp(`responded with a status of ${status}\\b`));
  }

  /** Lets the browser report what matches until the next test ends, such as that a service does not answer. */
  expectReports(text: RegExp): void {
    this.expected.push(text);
  }

  async cookies(): Promise<Awaited<ReturnType<BrowserContext['cookies']>>> {
    return this.context.cookies();
  }

  /** Fails if the page has a serious fault for people who use a screen reader or a keyboard. */
  async expectAccessible(): Promise<void> {
    if (!(await this.page.evaluate<boolean>(`'axe' in window`))) await this.page.evaluate(AXE);
    const violations = await this.page.evaluate<Violation[]>(AXE_RUN);
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
  }

  /** Fails if the page is wider than a window of this width, because a part of it does not scroll inside itself. */
  async expectToFit(width: number): Promise<void> {
    const before = this.page.viewportSize()!;
    await this.page.setViewportSize({ width, height: before.height });
    // Plots are drawn again in the frame after the change.
    await eventually(
      () => this.page.evaluate<number>('document.documentElement.scrollWidth'),
      (shown) => shown <= width,
    );
    await this.page.setViewportSize(before);
  }

  /** Ends a test. Fails if the browser has reported something that the test did not expect. */
  expectNoReports(): void {
    this.expectedBefore = this.expected;
    this.expected = [];
    expect(this.reported.splice(0)).toEqual([]);
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  private report(text: string): void {
    if ([...this.expected, ...this.expectedBefore].some((expected) => expected.test(text))) return;
    this.reported.push(text);
  }
}

/** Returns the address of a page of an app, such as `ledger?period=7d`. */
export function inApp({ appId }: { appId: string }, page: string): string {
  return `/apps/${appId}/${page}`;
}

/** A question can be confirmed this long after it appears, so that a double-click does not confirm it. */
const READING_PAUSE_MS = 500;

/** Ends the next such pauses at once. Playwright looks only twice a second whether a button is enabled at last. */
export async function skipPause(page: Page, times = 1): Promise<void> {
  await page.evaluate(`((start, left) => {
    window.setTimeout = (work, milliseconds, ...rest) => {
      if (milliseconds !== ${READING_PAUSE_MS}) return start(work, milliseconds, ...rest);
      left -= 1;
      if (left === 0) window.setTimeout = start;
      return start(work, 0, ...rest);
    };
  })(window.setTimeout, ${times})`);
}

/**
 * Presses a button that asks once more, and confirms without the pause before that. The name of a button in a row ends
 * with the name of the row.
 */
export async function pressAndConfirm(within: Page | Locator, label: string): Promise<void> {
  await skipPause('page' in within ? within.page() : within);
  await within.getByRole('button', { name: new RegExp(`^${label}( |$)`) }).click();
  await within.getByRole('button', { name: `${label}: confirm`, exact: true }).click();
}

/** Waits until the playground's field for a message is empty. Before that, it sends no other one. */
export async function untilAnswered(message: Locator): Promise<void> {
  await eventually(
    () => message.inputValue(),
    (text) => text === '',
  );
}

/** Returns the faults that a form shows beside the field with the label. The label itself does not count. */
export function faultsOf(form: Locator, label: string): Locator {
  return form.locator('[id$="-error"]', { hasText: label });
}

interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Opens a browser for the tests of a file. Each test fails if the browser has reported something that it did not expect.
 * After the last one, the browser, the service and the others are stopped.
 */
export async function openConsole(service: Target & Stoppable, ...others: Stoppable[]): Promise<ConsoleBrowser> {
  const browser = await ConsoleBrowser.open(service);
  afterEach(() => browser.expectNoReports());
  afterAll(async () => {
    await browser.close();
    for (const each of [service, ...others]) await each.stop();
  });
  return browser;
}

/** Opens a browser as `openConsole` does, and signs in before the first test. */
export async function openSignedIn(service: Target & Stoppable, ...others: Stoppable[]): Promise<ConsoleBrowser> {
  const browser = await openConsole(service, ...others);
  beforeAll(() => browser.signInAtOnce());
  return browser;
}
