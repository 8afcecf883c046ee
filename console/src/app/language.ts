/**
 * Gives the browser a language that `Intl` knows. Some browsers name theirs in a form of the system, such as
 * `en-US@posix`, and the library for plots asks `Intl` for it as soon as it is loaded.
 */
export function correctLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    const { locale } = new Intl.NumberFormat().resolvedOptions();
    Object.defineProperty(navigator, 'language', { value: locale });
  }
}
