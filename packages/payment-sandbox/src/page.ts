import type { Checkout } from './checkout.js'
import { words } from './words.js'

// The service's mails have the same few lines. Two copies are simpler than a package that both would depend on.

/** HTML that is safe to send: the `html` tag escapes what is put into it. */
export class Html {
  /** The text is taken as it is; pass only constants. */
  constructor(readonly text: string) {}
}

type Value = string | number | Html | Html[]

/** Builds HTML and escapes every value put into it, except what is already Html. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, index) => text + render(values[index - 1] ?? '') + part))
}

function render(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(each => each.text).join('')
  return String(value).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** An amount in cents, formatted as in $10.00. */
export function money(cents: number, currency = 'usd'): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100)
}

/** The business whose payment pages these are. */
export interface PageBrand {
  name: string
  /** An `https` URL; null for none. */
  logoUrl: string | null
  /** The typeface, as WOFF2; without one, the reader's own. */
  font?: Uint8Array
  /** The button colour in each colour scheme, `#rrggbb`, with the colour of the text on it. */
  accent: Record<'light' | 'dark', { color: string; ink: string }>
}

const BRAND_PLACE = '<!-- brand -->'
/** Where pages find the brand's typeface. */
export const FONT_PATH = '/font.woff2'

/** The page with the brand on top. Text cannot contain the placeholder: `html` escapes `<`. */
export function branded(page: string, { name, logoUrl, font, accent: { light, dark } }: PageBrand): string {
  const logo = logoUrl
    ? html`<img src="${logoUrl}" alt="" height="28">`
    : html`<span class="mark" aria-hidden="true">${Array.from(name)[0] ?? ''}</span>`
  const top = html`<style>
:root { --button: ${light.color}; --button-text: ${light.ink}; }
@media (prefers-color-scheme: dark) { :root { --button: ${dark.color}; --button-text: ${dark.ink}; } }
${font ? FONT_FACE : ''}
</style>
<p class="brand">${logo} ${name}</p>`
  return page.replace(BRAND_PLACE, () => top.text)
}

/**
 * A complete page around `content`, with a notice that no money is involved. Needs no scripts or other files: the
 * empty icon keeps browsers from asking for /favicon.ico.
 */
export function pageLayout(title: string, content: Html, isWide = false): Html {
  const { layout } = words
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title} · ${layout.sandbox}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="note"><strong>${layout.noMoney}</strong> ${layout.nothingCharged}</header>
<main${isWide ? html` class="wide"` : ''}>
${new Html(BRAND_PLACE)}
<div class="box">
<h1>${title}</h1>
${content}
</div>
</main>
</body>
</html>
`
}

/** A page that comes before it stays without it: nothing moves. */
const FONT_FACE = new Html(
  `@font-face { font-family: Brand; font-weight: 100 900; font-display: optional; src: url("${FONT_PATH}") format("woff2"); }`,
)

// The colours and sizes of web/styles/, by hand: the package has files of its own only.
const STYLE = new Html(`
:root {
  --page: #f9fafb; --card: #fff; --text: #16181d; --quiet: #5b6271; --line: #e7e9ed; --rim: #d8dbe1; --edge: #8b919e;
  --button: #3b4fd8; --button-text: #fff; --note: #fdf4df; --note-text: #7a4a00;
  --good: #e8f5ee; --good-text: #0a6640; --bad: #fdeeec; --bad-text: #b3261e; --plain: #f3f4f6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0a0c10; --card: #16191f; --text: #eceef2; --quiet: #a0a7b5; --line: #2c323d; --rim: #3c4350; --edge: #6f7787;
    --button: #97a2ff; --button-text: #12141b; --note: #30280f; --note-text: #f0c465;
    --good: #13291e; --good-text: #74d6a1; --bad: #351a18; --bad-text: #ff9d94; --plain: #1f242d;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text); letter-spacing: -.006em; -webkit-font-smoothing: antialiased;
  font: .875rem/1.5 Brand, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif;
}
.note { margin: 0; padding: .5rem 1rem; font-size: .8125rem; background: var(--note); color: var(--note-text); border-bottom: 1px solid var(--line); text-align: center; text-wrap: balance; }
.note strong { display: inline-block; }
main { width: min(26rem, 100% - 2rem); margin: clamp(1rem, 8vh, 5rem) auto 2rem; }
main.wide { width: min(60rem, 100% - 2rem); margin-top: 2rem; }
.box {
  padding: clamp(1.25rem, 5vw, 2rem); background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  box-shadow: 0 1px 2px rgb(16 24 40 / 5%);
}
.brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 1.25rem; font-size: .9375rem; font-weight: 600; }
.mark {
  display: grid; place-items: center; width: 1.75rem; height: 1.75rem; border-radius: 8px;
  background: var(--button); color: var(--button-text); font-size: .8125rem;
}
h1 { margin: 0 0 1.25rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -.02em; text-wrap: balance; }
h2 { margin: 2rem 0 .75rem; font-size: .9375rem; letter-spacing: -.01em; }
h1 + h2 { margin-top: 0; }
p { overflow-wrap: anywhere; }
dl { margin: 0; }
dl div { display: flex; justify-content: space-between; gap: 1rem; padding: .875rem 0; border-top: 1px solid var(--line); }
dl .total { font-weight: 600; font-size: 1.125rem; }
.due { display: flex; flex-direction: column; margin-bottom: 1rem; border-bottom: 1px solid var(--line); }
.due .total { order: -1; display: block; padding: 0 0 1rem; border: 0; }
.due .total dt { color: var(--quiet); font-weight: 400; font-size: .875rem; }
.due .total dd { font-size: 2.25rem; line-height: 1.2; letter-spacing: -.02em; }
dt { min-width: 0; overflow-wrap: anywhere; }
dd { margin: 0; white-space: nowrap; font-variant-numeric: tabular-nums; }
small { display: block; font-weight: 400; color: var(--quiet); font-size: .8125rem; }
.quiet { margin: .5rem 0 0; color: var(--quiet); font-size: .8125rem; }
form { margin-top: .75rem; }
.quiet + form { margin-top: 1.5rem; }
:is(h2, .card > p) + .quiet + form { margin-top: .75rem; }
.box > :last-child { margin-bottom: 0; }
button, .button {
  display: block; width: 100%; min-height: 2.5rem; padding: .5rem .75rem; border: 1px solid color-mix(in srgb, var(--button) 85%, #000);
  border-radius: 8px; background: var(--button); color: var(--button-text); font: inherit; font-weight: 500;
  text-align: center; text-decoration: none; cursor: pointer;
  box-shadow: inset 0 1px 0 rgb(255 255 255 / 16%), 0 1px 2px rgb(16 24 40 / 5%);
}
.second { background: none; border-color: var(--rim); box-shadow: none; color: var(--text); }
button.small { width: auto; min-height: 2.125rem; margin-top: .25rem; padding: .25rem .75rem; }
.card { padding: 1rem; border: 1px solid var(--line); border-radius: 12px; }
.card + .card { margin-top: .75rem; }
.wide .columns, .wide form:has(> label) { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: .75rem; align-items: start; }
.wide form:has(> label) { grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); align-items: end; }
.wide .columns > *, .wide form > label { margin: 0; }
.card > :first-child { margin-top: 0; }
.card > .quiet:last-child, .card > :last-child { margin-bottom: 0; }
.badge {
  display: inline-block; padding: 0 .5rem; border-radius: 6px; background: var(--plain); font-size: .75rem;
  font-weight: 500; line-height: 1.25rem; white-space: nowrap;
  box-shadow: inset 0 0 0 1px color-mix(in srgb, currentcolor 12%, transparent);
}
.badge.good { background: var(--good); color: var(--good-text); }
.badge.bad { background: var(--bad); color: var(--bad-text); }
.back { margin: 1.5rem 0 0; }
:is(form, .back) + .back { margin-top: .75rem; }
a { color: inherit; text-underline-offset: .2em; }
summary { margin-top: .75rem; cursor: pointer; font-weight: 500; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .5rem; }
.row form { margin: 0; }
.alert { padding: .75rem 1rem; border-radius: 8px; background: var(--bad); color: var(--bad-text); }
code { overflow-wrap: anywhere; font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
label { display: block; margin-bottom: .75rem; font-weight: 500; }
legend { margin-bottom: .25rem; padding: 0; font-weight: 500; }
button + button { margin-top: .75rem; }
select, input:not([type=radio], [type=checkbox]) {
  display: block; width: 100%; min-height: 2.5rem; margin-top: .25rem; padding: .25rem .75rem; border: 1px solid var(--edge);
  border-radius: 8px; background-color: var(--card); color: var(--text); font: inherit; font-weight: 400;
}
select {
  appearance: none; padding-right: 2.5rem; background-repeat: no-repeat; background-size: .3125rem .3125rem;
  background-image: linear-gradient(45deg, transparent 50%, currentcolor 50%), linear-gradient(135deg, currentcolor 50%, transparent 50%);
  background-position: right 1.125rem center, right .8125rem center;
}
fieldset { margin: 0 0 .75rem; padding: 0; border: 0; }
.choice {
  display: flex; align-items: baseline; gap: .75rem; margin: 0; padding: .75rem 1rem; border: 1px solid var(--rim);
  font-weight: 500; cursor: pointer;
}
.choice:first-of-type { border-radius: 8px 8px 0 0; }
.choice:last-of-type { border-radius: 0 0 8px 8px; }
.choice:only-of-type { border-radius: 8px; }
.choice + .choice { border-top: 0; }
.choice:has(:checked) { background: color-mix(in srgb, var(--button) 8%, var(--card)); }
.choice input { flex: none; margin: 0; accent-color: var(--button); }
.choice span { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.choice b { font-variant-numeric: tabular-nums; font-weight: 600; }
button:hover, .button:hover { filter: brightness(1.08); }
:focus-visible { outline: 2px solid var(--button); outline-offset: 2px; }
@media (pointer: coarse) {
  button, .button, button.small, select, input:not([type=radio], [type=checkbox]) { min-height: 2.75rem; font-size: 1rem; }
}
`)

/** The page of a checkout that is complete or expired, with a link to `returnUrl` if there is one. */
export function closedPage(checkout: Checkout, returnUrl: string | null): Html {
  const { complete, nothingLeft, expired, startAgain, toSite } = words.closed
  const link = returnUrl ? html`<p><a class="button" href="${returnUrl}">${toSite}</a></p>` : ''
  if (checkout.status === 'complete') return pageLayout(complete, html`<p>${nothingLeft}</p>${link}`)
  return pageLayout(expired, html`<p>${startAgain}</p>${link}`)
}

/** The page for an unknown address. */
export function notFoundPage(): Html {
  return pageLayout(words.closed.notFound, html`<p>${words.closed.fromSite}</p>`)
}

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
        "default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; img-src https: data:; base-uri 'none'; frame-ancestors 'none'",
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
