const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const thisYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', ...clock });
const otherYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const whole = new Intl.NumberFormat();
const money = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });

export function formatTime(time: string | null | undefined): string {
  if (!time) return '–';
  const date = new Date(time);
  return (date.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(date);
}

/** Returns a sentence of the API, whose times are in UTC, with the times of the user's clock. */
export function withLocalTimes(sentence: string): string {
  return sentence.replace(/(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?) UTC/g, (_, day: string, time: string) =>
    formatTime(`${day}T${time}Z`),
  );
}

export function formatNumber(value: number): string {
  return whole.format(value);
}

export function formatCost(value: number): string {
  return money.format(value);
}

export function formatDuration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(2)} s`;
}

export function formatPart(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const at = Math.min(units.length - 1, bytes > 0 ? Math.floor(Math.log2(bytes) / 10) : 0);
  return `${(bytes / 1024 ** at).toFixed(at === 0 ? 0 : 1)} ${units[at]}`;
}

/** The codes of the API whose own letters are no word for people. */
const WORDS: Readonly<Partial<Record<string, string>>> = {
  SUCCESS: 'Succeeded',
  DEPLOY: 'Deployment',
  UNDEPLOY: 'Undeployment',
};

/** Writes a code of the API, such as `READY_TO_DEPLOY`, as words. */
export function formatCode(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return WORDS[code.toUpperCase()] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Shows any value as indented JSON. */
export function formatJson(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
