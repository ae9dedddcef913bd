import { i18n } from './t.js'

/**
 * The global `fetch`, which also sends the page's language: mails to users without a language yet are written
 * in it.
 */
export const fetchInLanguage: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
  headers.set('Accept-Language', i18n.locale)
  return fetch(input, { ...init, headers })
}
