import { Html, html } from './html.js'

/** The business whose payment pages these are. */
export interface PageBrand {
  name: string
  /** `https`; null for none. */
  logoUrl: string | null
  /** Of buttons in both colour schemes, `#rrggbb`, with the colour of the text on them. */
  accent: Record<'light' | 'dark', { color: string; ink: string }>
}

const BRAND_PLACE = '<!-- brand -->'

/** The page with the brand on top. Text cannot contain the place for it: `html` escapes `<`. */
export function branded(page: string, { name, logoUrl, accent: { light, dark } }: PageBrand): string {
  const logo = logoUrl ? html`<img src="${logoUrl}" alt="" height="32"> ` : ''
  const top = html`<style>
:root { --button: ${light.color}; --button-text: ${light.ink}; }
@media (prefers-color-scheme: dark) { :root { --button: ${dark.color}; --button-text: ${dark.ink}; } }
</style>
<p class="brand">${logo}${name}</p>`
  return page.replace(BRAND_PLACE, () => top.text)
}

/**
 * A complete page around `content`, with a notice that no money is involved. Needs no scripts or other files.
 */
export function pageLayout(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Payment sandbox</title>
<style>${STYLE}</style>
</head>
<body>
<p class="note"><strong>Payment sandbox: no real money.</strong> Nothing is charged, and no card is needed.</p>
<main>
${new Html(BRAND_PLACE)}
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`
}

const STYLE = new Html(`
:root {
  --page: #f3f4f7; --card: #fff; --text: #1b1f2a; --quiet: #5a6274; --line: #dfe2ea;
  --button: #3b4fd8; --button-text: #fff; --note: #fff3cd; --note-text: #5c4400;
  --good: #dcf3e3; --good-text: #14532d; --bad: #fde3e0; --bad-text: #8a1c12; --plain: #e8eaf0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12141b; --card: #1c1f2a; --text: #e9ebf2; --quiet: #a3abbf; --line: #343948;
    --button: #9aa8ff; --button-text: #12141b; --note: #3d3210; --note-text: #ffe08a;
    --good: #143d26; --good-text: #a6e8bd; --bad: #4b1a16; --bad-text: #ffb8b0; --plain: #343948;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
.note { margin: 0; padding: .75rem 1rem; background: var(--note); color: var(--note-text); text-align: center; }
main {
  width: min(30rem, 100% - 1.5rem); margin: clamp(1rem, 8vh, 5rem) auto 2rem; padding: clamp(1.25rem, 5vw, 2.5rem);
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
}
.brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 1rem; font-weight: 600; }
h1 { margin: 0 0 1.25rem; font-size: 1.25rem; line-height: 1.25; }
h2 { margin: 2rem 0 .75rem; font-size: 1rem; }
h1 + h2 { margin-top: 0; }
p { overflow-wrap: anywhere; }
dl { margin: 0; }
dl div { display: flex; justify-content: space-between; gap: 1rem; padding: .875rem 0; border-top: 1px solid var(--line); }
dl .total { font-weight: 600; font-size: 1.125rem; }
dt { min-width: 0; overflow-wrap: anywhere; }
dd { margin: 0; white-space: nowrap; font-variant-numeric: tabular-nums; }
small { display: block; font-weight: 400; color: var(--quiet); font-size: .875rem; }
.quiet { margin: .5rem 0 0; color: var(--quiet); font-size: .875rem; }
form { margin-top: .75rem; }
.quiet + form { margin-top: 1.5rem; }
main > :last-child { margin-bottom: 0; }
button, .button {
  display: block; width: 100%; padding: .75rem 1rem; border: 1px solid var(--button); border-radius: .625rem;
  background: var(--button); color: var(--button-text); font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer;
}
.second { background: none; border-color: var(--quiet); color: var(--text); }
button.small { width: auto; margin-top: .25rem; padding: .25rem .75rem; font-size: .875rem; }
.card { padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; }
.card + .card { margin-top: .75rem; }
.card > :first-child { margin-top: 0; }
.card > .quiet:last-child, .card > :last-child { margin-bottom: 0; }
.badge {
  display: inline-block; padding: 0 .5rem; border-radius: 1rem; background: var(--plain); font-size: .8125rem;
  white-space: nowrap;
}
.badge.good { background: var(--good); color: var(--good-text); }
.badge.bad { background: var(--bad); color: var(--bad-text); }
.back { margin: 1.5rem 0 0; }
form + .back { margin-top: .75rem; }
a { color: inherit; text-underline-offset: .2em; }
summary { margin-top: .75rem; cursor: pointer; font-weight: 600; font-size: .875rem; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .5rem; }
.row form { margin: 0; }
.alert { padding: .75rem 1rem; border-radius: .625rem; background: var(--bad); color: var(--bad-text); }
code { overflow-wrap: anywhere; font-size: .875rem; }
label { display: block; margin-bottom: .75rem; font-weight: 600; }
select, input {
  display: block; width: 100%; margin-top: .25rem; padding: .625rem .75rem; border: 1px solid var(--quiet);
  border-radius: .625rem; background: var(--card); color: var(--text); font: inherit; font-weight: 400;
}
button:hover, .button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--button); outline-offset: 3px; }
`)
