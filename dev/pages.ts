import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Html, html, Html as RawHtml } from '../src/mail/html.js'
import { LANGUAGES } from '../src/platform/config/languages.js'
import { PACKAGE_ROOT } from '../src/platform/config/package-root.js'
import type { Brand } from '../src/platform/config/settings.js'
import { accentsOf } from '../src/platform/contrast.js'

/** A page that only development has. */
export interface DevPage {
  readonly title: string
  /** What it is for, below its title. */
  readonly lead: string
  /** The one thing to do, beside its title. */
  readonly action?: Html
  readonly content: Html
  /** There is nothing at this address; the page says what there is instead. */
  readonly isMissing?: boolean
}

/** Where the navigation leads: other pages of development, or what is at a port of its own. */
export interface DevLink {
  readonly name: string
  readonly href: string
}

type Parameters = Readonly<Record<string, string>>

/** The pages of development: in the style sheet and the colours of the main site, with one navigation. */
export class DevPages {
  constructor(
    readonly server: FastifyInstance,
    private readonly brand: Brand,
    private readonly links: readonly DevLink[],
  ) {
    server.get('/dev/pages.css', (_, reply) => reply.type('text/css; charset=utf-8').send(styleSheet()))
  }

  /** Answers GET at a path of the router with what `page` makes of its parameters. */
  serve(path: string, page: (parameters: Parameters) => DevPage): void {
    this.server.get<{ Params: Parameters }>(path, ({ params }, reply) => {
      const made = page(params)
      return reply
        .status(made.isMissing ? 404 : 200)
        .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
        .send(this.framed(made, path).text)
    })
  }

  private framed({ title, lead, action, content }: DevPage, path: string): Html {
    const { name, accent } = this.brand
    const { light, dark } = accentsOf(accent)
    const links = this.links.map(({ name, href }) =>
      path === href || path.startsWith(`${href}/:`)
        ? html`<a href="${href}" aria-current="page">${name}</a>\n`
        : html`<a href="${href}">${name}</a>\n`,
    )
    return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/dev/pages.css">
<title>${title} · ${name}</title>
<style>:root { --accent-light: ${light.color}; --accent-dark: ${dark.color} }</style>
<script>${new RawHtml(SCRIPT)}</script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/"><span class="mark" aria-hidden="true">${Array.from(name)[0] ?? ''}</span><span>${name}</span></a>
<nav class="nav row-nav" aria-label="Development">${links}</nav>
</header>
<main id="content" class="wide" tabindex="-1">
<div class="page-head"><div><h1>${title}</h1><p>${lead}</p></div>${action ?? ''}</div>
${content}
</main>
</body>
</html>
`
  }
}

/** A field that hides whatever is `data-filtered` and does not have its words. */
export function filterField(label: string): Html {
  return html`<div class="filter"><label for="filter">${label}</label>
<input id="filter" type="search" autocomplete="off"> <small role="status"></small></div>\n`
}

const BUILT_FOLDER = join(PACKAGE_ROOT, 'web/dist/main/assets')

/** A file that the build has made for the main site; null where its pages are not built. */
export function builtFile(name: RegExp): Buffer | null {
  const found = existsSync(BUILT_FOLDER) && readdirSync(BUILT_FOLDER).find(file => name.test(file))
  return found ? readFileSync(join(BUILT_FOLDER, found)) : null
}

/**
 * The main site's, with what only these pages have. The typeface is found where that site is served; a page that comes
 * before it stays without it, so that nothing moves.
 */
function styleSheet(): string {
  const ofMainSite = builtFile(/^style-.*\.css$/)?.toString() ?? ''
  return ofMainSite.replaceAll('font-display:swap', 'font-display:optional') + STYLE
}

const STYLE = `
[hidden], .group:not(:has([data-filtered]:not([hidden]))) { display: none !important; }
@media (pointer: coarse) { .rows a:not(.button) { display: inline-block; padding-block: 0.75rem; } }
@media (max-width: 30rem) { .rows > li > :first-child { flex-basis: 100%; } }
.filter { display: flex; flex-wrap: wrap; align-items: baseline; gap: var(--space-2) 0; margin-block-end: var(--space-4); }
.filter > label { margin-inline-end: var(--space-3); font-weight: var(--medium); }
.filter > input { flex: 1 1 14rem; max-width: 26rem; }
.filter > small:not(:empty) { margin-inline-start: var(--space-3); }
.looks { display: inline-flex; margin-inline-end: var(--space-8); flex-wrap: wrap; align-items: center; gap: 0 var(--space-4); }
.looks > legend { float: left; margin: 0; }
details { margin-block-end: var(--space-2); border: 1px solid var(--line); border-radius: var(--radius-card); background: var(--surface); }
summary { padding: var(--space-3) var(--space-4); overflow-wrap: anywhere; cursor: pointer; }
details > div, details > pre { margin: 0 var(--space-4) var(--space-4); }
pre { margin: 0; padding: var(--space-3); border: 1px solid var(--line); border-radius: var(--radius); background: var(--sunken); font: var(--text-small) / 1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
iframe { display: block; width: 100%; height: 30rem; margin-block-end: var(--space-4); border: 1px solid var(--line); border-radius: var(--radius-card); }
main:has([name="theme"][value="light"]:checked) iframe { color-scheme: light; }
main:has([name="theme"][value="dark"]:checked) iframe { color-scheme: dark; }
main:has([name="width"][value="phone"]:checked) iframe { width: min(375px, 100%); }
${LANGUAGES.map(language => `main:has([name="language"][value="${language}"]:checked) .gallery [lang]:not([lang="${language}"]) { display: none; }`).join('\n')}
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 0 var(--space-5); align-items: start; }
.gallery .card { min-width: 0; margin-block-end: var(--space-5); overflow-wrap: break-word; }
.gallery iframe { margin: var(--space-3) 0 0; }
.reference h2 { margin: var(--space-10) 0 var(--space-2); font-size: var(--text-h1); scroll-margin-block-start: 4rem; }
.reference h3 { display: inline; margin: 0; font-size: var(--text-body); }
.reference h4 { margin: var(--space-4) 0 var(--space-1); font-size: var(--text-small); color: var(--soft); }
.reference p { max-width: 44rem; }
.reference dl { gap: var(--space-1); }
.reference dl > div { gap: 0 var(--space-4); padding-block: var(--space-2); border-block-start: 1px solid var(--line); grid-template-columns: minmax(0, 1fr); }
.reference dt > code { color: var(--text); }
.reference dd { overflow-wrap: anywhere; }
.reference details:target { border-color: var(--accent); }
.method { display: inline-block; min-width: 3.5rem; color: var(--accent); }
.sections { margin: 0 calc(-1 * var(--space-2)) var(--space-4); }
@media (max-width: 63.99rem) { .sections ul { display: flex; flex-wrap: wrap; } }
@media (min-width: 40rem) { .reference dl > div { grid-template-columns: 15rem minmax(0, 1fr); } .reference dl > div > dd { grid-column: 2; } }
@media (min-width: 64rem) {
  .reference { display: grid; grid-template-columns: 10rem minmax(0, 1fr); gap: var(--space-8); }
  .sections { position: sticky; top: 4rem; align-self: start; max-height: calc(100vh - 5rem); overflow-y: auto; }
}
`

/** The theme that was chosen on the main site, the filter, links to what is folded, frames, and what has changed. */
const SCRIPT = `
const theme = localStorage.getItem('mainstay.theme')
if (theme === 'light' || theme === 'dark') document.documentElement.style.colorScheme = theme
addEventListener('DOMContentLoaded', () => {
  const field = document.querySelector('#filter')
  const filter = () => {
    const wanted = field.value.trim().toLowerCase()
    const all = [...document.querySelectorAll('[data-filtered]')]
    for (const each of all)
      each.hidden = !(each.querySelector('summary') ?? each).textContent.toLowerCase().includes(wanted)
    const found = all.filter(each => !each.hidden).length
    document.querySelector('[role=status]').textContent = wanted && found + ' of ' + all.length
  }
  field?.addEventListener('input', filter)
  if (field?.value) filter()

  const unfold = () => {
    // Nothing in the ids is encoded.
    const target = document.getElementById(location.hash.slice(1))
    const folded = target?.closest('details')
    if (!folded) return
    if (folded.hidden) {
      field.value = ''
      filter()
    }
    folded.open = true
    target.scrollIntoView()
  }
  addEventListener('hashchange', unfold)
  unfold()

  const fit = frame => {
    const height = frame.contentDocument.body?.offsetHeight
    if (height > 0) frame.style.height = height + 2 + 'px'
  }
  const frames = [...document.querySelectorAll('iframe')]
  const fitAll = () => frames.forEach(fit)
  for (const frame of frames) frame.addEventListener('load', () => fit(frame))
  fitAll()
  addEventListener('resize', fitAll)
  addEventListener('change', fitAll)

  const live = document.querySelector('[data-live]')
  if (!live) return
  let asked = 0
  new EventSource(live.dataset.live).onmessage = async ({ data }) => {
    if (live.dataset.seen === data) return
    const turn = ++asked
    const page = await (await fetch(location.href)).text()
    if (turn !== asked) return
    const now = new DOMParser().parseFromString(page, 'text/html').querySelector('[data-live]')
    live.dataset.seen = now.dataset.seen
    live.replaceChildren(...now.children)
    filter()
  }
})
`

/** Nothing from elsewhere but logos. A mail in a frame is bound to it too. */
const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' https: data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
