import { Injectable } from '@nestjs/common'
import { and, eq } from 'drizzle-orm'
import { Satellites } from '../cors/satellites.js'
import { type Brand, Settings } from '../platform/config/settings.js'
import { accentsOf, inkOn } from '../platform/contrast.js'
import { Database } from '../platform/database/database.js'
import type { Branding } from '../platform/database/schema/columns.js'
import { satellites } from '../platform/database/schema/satellites.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { Html, html } from './html.js'
import { MailLanguage } from './language.js'
import type { Mail } from './mail.js'

export interface MailColors {
  readonly page: string
  /** The text beside the card. */
  readonly onPage: string
  readonly button: string
  /** The button's text and its outline; without an outline the button could vanish in the card. */
  readonly ink: string
  /** The same for dark mode; null where a satellite's colours stay as they were chosen. */
  readonly dark: { readonly button: string; readonly ink: string } | null
}

const PAGE_COLOR = '#f3f4f7'
const ON_PAGE = '#4d5463'
const COLOR = /^#[0-9a-f]{6}$/

/** The branding's colours, with a readable text colour; without branding, the main site's `accent`. */
export function colorsOf(branding: Branding | undefined, accent: string): MailColors {
  const { light, dark } = accentsOf(accent)
  const ours = {
    page: PAGE_COLOR,
    onPage: ON_PAGE,
    button: light.color,
    ink: light.ink,
    dark: { button: dark.color, ink: dark.ink },
  }
  if (!branding) return ours
  const page = COLOR.test(branding.background) ? branding.background : PAGE_COLOR
  const onPage = page === PAGE_COLOR ? ON_PAGE : inkOn(page)
  if (!COLOR.test(branding.accent)) return { ...ours, page, onPage }
  return { page, onPage, button: branding.accent, ink: inkOn(branding.accent), dark: null }
}

/** The sender: the main site. */
export interface MailSender extends Brand {
  /** The main site's host, so that people can check it. */
  readonly host: string
}

/** The mail as plain text. */
export function textOf({ language, site, paragraphs, action, footnote }: Mail, sender: MailSender): string {
  const words = MailLanguage.of(language)
  const { supportUrl } = sender
  const support = supportUrl && `${words.phrase('layout.questions')} ${supportName(supportUrl)}`
  const foot = ['-- ', site === sender.name ? '' : site, sentBy(sender, words), support]
    .filter(Boolean)
    .join('\n')
  const parts = [...paragraphs, action && `${action.label}:\n${action.url}`, footnote, foot]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/**
 * The mail as HTML. Styles are inline, because many mail programs drop the head; those that keep it also get
 * dark colours. The button's URL is repeated as text, so that people see where it leads.
 */
export function htmlOf(mail: Mail, sender: MailSender): string {
  const { language, subject, site, paragraphs, action, footnote, branding } = mail
  const words = MailLanguage.of(language)
  const colors = colorsOf(branding, sender.accent)
  const logoUrl = branding ? branding.logoUrl : sender.logoUrl
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${NARROW}${DARK}${colors.dark ? darkButton(colors.dark) : ''}</style>
</head>
<body class="page" style="${PAGE};background:${colors.page}">
${preview(mail)}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:40px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="${COLUMN}">
<tr><td style="padding:0 4px 20px">${head(site, logoUrl, colors)}</td></tr>
<tr><td class="card" style="${CARD}">
<h1 class="title" style="${TITLE}">${flowing(subject, TITLE_LINE)}</h1>
${paragraphs.map(paragraph)}
${action ? button(action, words, colors) : ''}
${footnote ? html`<p class="quiet line" style="${FOOTNOTE}">${flowing(footnote)}</p>` : ''}
</td></tr>
<tr><td style="padding:20px 4px 0">${foot(sender, words, colors)}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`.text
}

/** Several lines are details to look up, such as when and where: they stand apart. */
function paragraph(text: string): Html {
  return text.includes('\n')
    ? html`<p class="details" style="${DETAILS}">${flowing(text)}</p>\n`
    : html`<p style="${PARAGRAPH}">${flowing(text)}</p>\n`
}

/** Not at the end of a proof, which people copy. */
const NUMBER_WITH_WORD = /(?<![\w-])(\d+\.?) (?=\p{L})/gu

/** An e-mail address, a host or a URL, with the punctuation around it. */
const ADDRESS_IN_TEXT = String.raw`\S*[\p{L}\p{N}_-][.@][\p{L}\p{N}]\S*`
const SPECIAL = new RegExp(`(\\n|${ADDRESS_IN_TEXT}|\\be-mail)`, 'iu')

/** Characters that one line of a phone has room for. */
const LINE = 34
const TITLE_LINE = 20

/**
 * The text with “e-mail”, each number with the word after it, and each address that a phone has room for on one line.
 * Not with a non-breaking hyphen: some fonts lack it.
 */
function flowing(text: string, line = LINE): Html[] {
  const parts = text.replace(NUMBER_WITH_WORD, '$1\u00a0').split(SPECIAL)
  return parts.map((part, index) => {
    if (part === '\n') return html`<br>`
    if (index % 2 === 0) return html`${part}`
    return /^e-mail$/i.test(part)
      ? html`<span style="white-space:nowrap">${part}</span>`
      : html`<span${part.length > line ? '' : html` style="${WHOLE}"`}>${breakable(part)}</span>`
  })
}

/** An address that is longer than a line continues on the next after a dot or an underscore, or before `@` or `+`. */
function breakable(address: string): Html[] {
  const [first = '', ...others] = address.split(/(?<=[._])(?=.)|(?=[@+])/)
  return [html`${first}`, ...others.map(part => html`<wbr>${part}`)]
}

/** What mail lists show beside the subject: the beginning of the text, more than they have room for. */
function preview({ paragraphs }: Mail): Html {
  const beginning = Array.from(paragraphs.join(' ')).slice(0, 200).join('')
  return html`<div style="display:none">${beginning}</div>`
}

/**
 * The logo, or the first letter in the button colour, beside the name. In dark mode a logo keeps the background that it
 * was designed for.
 */
function head(site: string, logoUrl: string | null, colors: MailColors): Html {
  const { page, button: background, ink, onPage } = colors
  const letter = Array.from(site)[0]?.toLocaleUpperCase() ?? ''
  const mark = logoUrl
    ? html`<td class="plate" style="${PLATE};background:${page}"><img src="${logoUrl}" alt="" height="32" style="${LOGO}"></td>`
    : html`<td width="32" valign="top"><table role="presentation" cellpadding="0" cellspacing="0"><tr><td class="button" width="32" height="32" align="center" aria-hidden="true" style="${MARK};background:${background};color:${ink}">${letter}</td></tr></table></td>`
  return html`<table role="presentation" cellpadding="0" cellspacing="0"><tr>${mark}
<td class="name" style="${SITE};color:${onPage}">${site}</td></tr></table>`
}

/** Colour and padding are those of a cell, because Outlook for Windows gives none to links. */
function button(
  { label, url, isForAlarm }: NonNullable<Mail['action']>,
  words: MailLanguage,
  { button: background, ink }: MailColors,
): Html {
  const cell = isForAlarm
    ? html`<td class="plain" style="${BUTTON};border:1px solid #8b919e"><a href="${url}" style="${LABEL};color:#16181d">${flowing(label)}</a></td>`
    : html`<td class="button" bgcolor="${background}" style="${BUTTON};background:${background};border:1px solid ${ink}"><a href="${url}" style="${LABEL};color:${ink}">${flowing(label)}</a></td>`
  return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:24px 0 0"><tr>
${cell}
</tr></table>
<p class="quiet" style="${ADDRESS}">${words.phrase('layout.copyAddress')}<br><a class="quiet" href="${url}" style="${ONE_LINE}">${url}</a></p>`
}

function foot(sender: MailSender, words: MailLanguage, { onPage }: MailColors): Html {
  const { supportUrl } = sender
  const support = supportUrl
    ? html`<br>${words.phrase('layout.questions')} <a class="quiet" href="${supportUrl}" style="${WHOLE};color:${onPage}">${supportName(supportUrl)}</a>`
    : ''
  return html`<p class="quiet" style="${FOOT};color:${onPage}">${onOneLine(sender.host, sentBy(sender, words))}${support}</p>`
}

function onOneLine(part: string, text: string): Html {
  const start = text.lastIndexOf(part)
  return html`${text.slice(0, start)}<span style="${WHOLE}">${part}</span>${text.slice(start + part.length)}`
}

function sentBy({ name, host }: MailSender, words: MailLanguage): string {
  return name === host
    ? words.phrase('layout.sentBy', { host })
    : words.phrase('layout.sentByName', { name, host })
}

function supportName(url: string): string {
  return url.replace(/^mailto:/, '').replace(/\?.*$/, '')
}

function darkButton({ button: background, ink }: NonNullable<MailColors['dark']>): Html {
  return html`
@media (prefers-color-scheme: dark) {
  .button { background: ${background} !important; border-color: ${background} !important; }
  .button, .button a { color: ${ink} !important; }
}`
}

const PAGE = "margin:0;padding:0;color:#16181d;font-family:system-ui,-apple-system,'Segoe UI',sans-serif"
const COLUMN = 'max-width:520px;table-layout:fixed;font-size:15px;line-height:1.6;overflow-wrap:anywhere'
const CARD = 'padding:32px;background:#ffffff;border:1px solid #e3e5ea;border-radius:12px'
const LOGO = 'display:block;width:auto;height:auto;max-width:240px;max-height:32px'
const PLATE = 'border-radius:8px'
const MARK = 'border-radius:8px;font-size:15px;line-height:32px;font-weight:600'
const SITE = 'padding-left:10px;font-size:15px;font-weight:600'
const TITLE = 'margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600;letter-spacing:-0.01em'
const PARAGRAPH = 'margin:0 0 14px'
const DETAILS = 'margin:0 0 14px;padding:12px 16px;background:#f3f4f7;border-radius:8px;font-size:14px'
const BUTTON = 'border-radius:8px;mso-padding-alt:12px 22px'
/** The link fills the cell, so that all of the button can be pressed. */
const LABEL = 'display:inline-block;padding:12px 22px;font-weight:600;text-decoration:none'
const ADDRESS = 'margin:12px 0 8px;color:#5a6274;font-size:12px;line-height:1.5'
const ONE_LINE = 'display:block;color:#5a6274;overflow:hidden;text-overflow:ellipsis;white-space:nowrap'
const FOOTNOTE = 'margin:24px 0 0;padding-top:16px;border-top:1px solid #e3e5ea;color:#5a6274;font-size:14px'
const FOOT = 'margin:0;font-size:13px'
/** Long names at the end of a line move to the next one before they break. */
const WHOLE = 'display:inline-block'
/** More room for the text on a phone, for German words in the title, and for a name below its logo. */
const NARROW = new Html(`@media (max-width: 480px) {
  .card { padding: 24px !important; }
  .title { font-size: 20px !important; }
  .plate { display: block !important; width: fit-content; }
  .plate + .name { display: block !important; padding: 8px 0 0 !important; }
}
`)
const DARK = new Html(`@media (prefers-color-scheme: dark) {
  .page { background: #0c0e12 !important; color: #eceef2 !important; }
  .name { color: #eceef2 !important; }
  .card { background: #181b22 !important; border-color: #2c323d !important; }
  .quiet { color: #a0a7b5 !important; }
  .details { background: #0c0e12 !important; }
  .plate { padding: 6px 8px !important; }
  .line { border-color: #2c323d !important; }
  .plain, .plain a { border-color: #6f7787 !important; color: #eceef2 !important; }
}`)

const MAX_LENGTH = 60

/** Digits of a telephone number, however they are grouped. */
const MANY_DIGITS = /(?:\d[^\p{L}\d]*){7}/u
/** What makes an address or a path, with the full stops that browsers take for dots. */
const PARTS_OF_LINKS = /[:/@\\。．｡]|\.\S|\p{C}/u

/**
 * Null for a name that is too long for a sentence, or that mail programs would turn into a link or into a number to
 * call: attackers could use our mails to lead people anywhere.
 */
export function safeName(name: string): string | null {
  const isUnsafe = name.length > MAX_LENGTH || PARTS_OF_LINKS.test(name) || MANY_DIGITS.test(name)
  return isUnsafe ? null : name
}

/** The subject of a mail: a satellite, as the users of an account know it. */
export interface SatelliteOfMail {
  readonly accountId: string
  readonly origin: string
}

interface BrandedSite {
  /**
   * For a satellite its host, preceded by the name from the branding if there is one. Never that name alone,
   * because any customer can choose any name.
   */
  readonly name: string
  readonly branding: Branding | null
}

/** The only satellite that a member is invited to; null in all other cases. */
export function onlySatelliteOf({
  accountId,
  satellites,
}: {
  readonly accountId: string
  readonly satellites: readonly string[] | null
}): SatelliteOfMail | null {
  const [origin, ...others] = satellites ?? []
  return origin !== undefined && others.length === 0 ? { accountId, origin } : null
}

/** How satellites look in mails. */
@Injectable()
export class BrandedSites {
  private readonly logger = new Logger('BrandedSites')

  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly satellites: Satellites,
  ) {}

  /**
   * Null means the main site, and so does anything that is not an active satellite of the account: a client
   * can name any host, and mail programs turn names into links. Without branding while the database is down:
   * a mail does not wait for its colours.
   */
  async find(about: SatelliteOfMail | null): Promise<BrandedSite> {
    if (!about || !this.satellites.isOf(about.accountId, about.origin))
      return { name: this.settings.brand.name, branding: null }
    const { host } = new URL(about.origin)
    const branding = await this.brandingOf(about).catch(error => {
      this.logger.warn(`Sending a mail about ${host} without its branding: ${causeMessage(error)}`)
      return null
    })
    const name = branding && safeName(branding.name)
    return { name: name ? `${name} (${host})` : host, branding }
  }

  private async brandingOf({ accountId, origin }: SatelliteOfMail): Promise<Branding | null> {
    // For a preview, the pattern that it matches.
    const registered = this.satellites.find(origin)?.origin ?? origin
    const matches = and(eq(satellites.accountId, accountId), eq(satellites.origin, registered))
    const rows = await this.database.run(db =>
      db
        .select({ branding: satellites.branding })
        .from(satellites)
        .where(and(matches, eq(satellites.state, 'active'))),
    )
    return rows[0]?.branding ?? null
  }
}
