/**
 * The first of `wanted` that is among `available`, with the locale for dates and numbers: “de-AT” chooses
 * `de` and is the locale. English if there is none.
 */
export function chooseLanguage(
  wanted: readonly string[],
  available: readonly string[],
): { readonly language: string; readonly locale: string } {
  for (const locale of wanted) {
    const language = [locale, locale.split('-')[0] ?? ''].find(name => available.includes(name))
    if (language) return { language, locale }
  }
  return { language: 'en', locale: 'en' }
}
