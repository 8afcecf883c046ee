import { shortened } from '../../kernel/shortened.js';
import type { Author } from './hooks.schema.js';

export interface Said {
  author: Author;
  text: string;
  at: Date;
}

/** What a summary is made of: what was said that models may see, and who took part. */
export interface Transcript {
  agents: string[];
  said: Said[];
}

interface Sentence {
  author: Author;
  text: string;
  score: number;
  place: number;
}

const MOST_SENTENCES = 6;
const MOST_CHARACTERS = 300;

/**
 * A summary without a model: when, who, and the sentences that say most, in the words of those who said them. It cannot
 * translate; what is not a quotation follows the locale.
 */
export function extractSummary({ agents, said }: Transcript, wantedLocale: string): string {
  const locale = usableLocale(wantedLocale);
  const first = said[0];
  const facts = [
    ...(first ? [period(first.at, said.at(-1)!.at, locale)] : []),
    ...(agents.length > 0 ? [new Intl.ListFormat(locale).format(agents)] : []),
    new Intl.NumberFormat(locale).format(said.length),
  ];
  const quotations = telling(said, locale).map(({ author, text }) => `${author}: ${text}`);
  return [facts.join(' · '), ...quotations].join('\n');
}

/** Of a tag that is none, English. */
export function usableLocale(wanted: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(wanted.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}

function period(from: Date, to: Date, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return format.formatRange(from, to);
}

/** How it began and ended, and between them the sentences whose words come up most, in their order. */
function telling(said: readonly Said[], locale: string): Sentence[] {
  const sentences = sentencesOf(said, locale);
  const [first, last] = [sentences.find(({ author }) => author === 'USER') ?? sentences[0], sentences.at(-1)];
  const fixed = new Set([first, last].filter((sentence) => sentence !== undefined));
  const others = sentences.filter((sentence) => !fixed.has(sentence)).sort((a, b) => b.score - a.score);
  return [...fixed, ...others.slice(0, MOST_SENTENCES - fixed.size)].sort((a, b) => a.place - b.place);
}

function sentencesOf(said: readonly Said[], locale: string): Sentence[] {
  const splitter = new Intl.Segmenter(locale, { granularity: 'sentence' });
  const sentences = said.flatMap(({ author, text }) =>
    [...splitter.segment(text)].map(({ segment }) => ({ author, text: segment.replace(/\s+/g, ' ').trim() })),
  );
  const worded = sentences
    .filter(({ text }) => text !== '')
    .map(({ author, text }) => ({ author, text, words: wordsOf(text, locale) }));
  const frequency = new Map<string, number>();
  for (const word of worded.flatMap(({ words }) => words)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return worded.map(({ author, text, words }, place) => {
    const weight = words.reduce((sum, word) => sum + frequency.get(word)!, 0);
    return { author, text: shortened(text, MOST_CHARACTERS), place, score: weight / Math.sqrt(words.length || 1) };
  });
}

/** Short ones are mostly of grammar. */
function wordsOf(text: string, locale: string): string[] {
  const splitter = new Intl.Segmenter(locale, { granularity: 'word' });
  const words = [...splitter.segment(text)].filter(({ isWordLike, segment }) => isWordLike && segment.length > 3);
  return [...new Set(words.map(({ segment }) => segment.toLocaleLowerCase(locale)))];
}
