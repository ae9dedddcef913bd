import type { Html } from '../pages/html.js'

/** A complete HTTP answer, for browsers. */
export interface PageAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export function pageAnswer(status: number, page: Html): PageAnswer {
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      // No form-action: browsers also apply it to the redirect after Pay, which leads to another site.
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; base-uri 'none'; frame-ancestors 'none'",
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
    body: page.text,
  }
}

/**
 * 303, so that the browser follows with GET; `href` percent-encodes characters that a header cannot contain.
 */
export function redirectAnswer(url: string): PageAnswer {
  return { status: 303, headers: { Location: new URL(url).href, 'Cache-Control': 'no-store' }, body: '' }
}

/** A file that browsers show. */
export function pdfAnswer(body: string): PageAnswer {
  return { status: 200, headers: { 'Content-Type': 'application/pdf', 'Cache-Control': 'no-store' }, body }
}

/** A JSON answer, for programs. */
export function jsonAnswer(status: number, body: object): PageAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(body),
  }
}
