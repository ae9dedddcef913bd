/**
 * The phrases that most user agents consist of, after `shortUserAgent`. A phrase's code is its position in
 * the list, starting at 1: control characters, which no stored user agent contains. The list must never
 * change: sessions contain the codes for weeks, and Redis compares coded texts.
 */
const PHRASES: readonly string[] = [
  '(Windows NT 10.0; Win64; x64) ',
  '(Windows NT 10.0; Win64; x64; rv:',
  '(Macintosh; Intel Mac OS X 10_15_7) ',
  '(Macintosh; Intel Mac OS X 10.15; rv:',
  '(X11; Linux x86_64) ',
  '(X11; Linux x86_64; rv:',
  '(Linux; Android 10; K) ',
  '(iPhone; CPU iPhone OS ',
  '(iPad; CPU OS ',
  ' like Mac OS X) ',
  '(Android ',
  'X11; Linux x86_64) ',
  'Chrome/',
  '.0.0.0',
  ' Mobile',
  ' Edg/',
  ' OPR/',
  ' SamsungBrowser/',
  'Version/',
  ' Safari/605.1.15',
  ' Safari/604.1',
  ') Firefox/',
  // Truncated, as on nearly every iPhone.
  ' Safari/6',
]

/** The same in fewer bytes: 6 instead of 46 for Chrome on Windows. */
export function encodeUserAgent(userAgent: string): string {
  return PHRASES.reduce(
    (text, phrase, index) => text.replaceAll(phrase, String.fromCharCode(index + 1)),
    userAgent,
  )
}

/** Reverses {@link encodeUserAgent}; a text without codes is returned as it is. */
export function decodeUserAgent(coded: string): string {
  let text = ''
  let end = 0
  for (let at = 0; at < coded.length; at++) {
    const phrase = PHRASES[coded.charCodeAt(at) - 1]
    if (phrase === undefined) continue
    text += coded.slice(end, at) + phrase
    end = at + 1
  }
  return text + coded.slice(end)
}
