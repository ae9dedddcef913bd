import type { Brand } from '../brand/brand.js'
import { Html, html } from './html.js'
import type { Mail } from './mail.js'
import { colorsOf, type MailColors } from './mail-colors.js'
import { MailLanguage } from './mail-language.js'

/** Who sends it: the main site. */
export interface MailSender extends Brand {
  /** Of the main site, as people can check it. */
  readonly host: string
}

/** The mail as plain text. */
export function textOf({ language, site, paragraphs, action, footnote }: Mail, sender: MailSender): string {
  const words = MailLanguage.of(language)
  const { supportUrl } = sender
  const support = supportUrl && `${words.phrase('layout.questions')} ${supportName(supportUrl)}`
  const foot = ['-- ', site, sentBy(sender, words), support].filter(Boolean).join('\n')
  const parts = [...paragraphs, action && `${action.label}:\n${action.url}`, footnote, foot]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/**
 * The mail as HTML. Styles are inline, because many mail programs drop the head; those that keep it get dark
 * colours too. The button's address is repeated as text, so that people see where it leads.
 */
export function htmlOf(mail: Mail, sender: MailSender): string {
  const { language, subject, site, paragraphs, action, footnote, branding } = mail
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
<style>${DARK}${colors.dark ? darkButton(colors.dark) : ''}</style>
</head>
<body class="page" style="${PAGE};background:${colors.page}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="${CARD}"><tr><td style="padding:32px">
${logoUrl ? html`<p style="${LOGO}"><img src="${logoUrl}" alt="" height="40" style="max-width:100%"></p>` : ''}
<p class="name" style="${SITE}">${site}</p>
<h1 style="${TITLE}">${subject}</h1>
${paragraphs.map(text => html`<p style="${PARAGRAPH}">${text}</p>\n`)}
${action ? button(action, colors) : ''}
${footnote ? html`<p class="quiet line" style="${FOOTNOTE}">${footnote}</p>` : ''}
${foot(sender, MailLanguage.of(language))}
</td></tr></table>
</td></tr></table>
</body>
</html>
`.text
}

function button({ label, url }: NonNullable<Mail['action']>, { button: background, ink }: MailColors): Html {
  const style = `${BUTTON};background:${background};color:${ink};border:1px solid ${ink}`
  return html`<p style="margin:24px 0 12px"><a class="button" href="${url}" style="${style}">${label}</a></p>
<p class="quiet" style="${ADDRESS}">${url}</p>`
}

function foot(sender: MailSender, words: MailLanguage): Html {
  const { supportUrl } = sender
  const support = supportUrl
    ? html`<br>${words.phrase('layout.questions')} <a class="quiet" href="${supportUrl}" style="${FOOT_LINK}">${supportName(supportUrl)}</a>`
    : ''
  return html`<p class="quiet" style="${FOOT}">${sentBy(sender, words)}${support}</p>`
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
  .button { background: ${background} !important; color: ${ink} !important; border-color: ${background} !important; }
}`
}

const PAGE = "margin:0;padding:0;color:#1b1f2a;font-family:system-ui,-apple-system,'Segoe UI',sans-serif"
const CARD =
  'max-width:520px;background:#ffffff;border:1px solid #dfe2ea;border-radius:12px;font-size:15px;line-height:1.55'
const LOGO = 'margin:0 0 12px'
const SITE = 'margin:0 0 20px;font-size:15px;font-weight:600'
const TITLE = 'margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600'
const PARAGRAPH = 'margin:0 0 14px;overflow-wrap:anywhere'
const BUTTON = 'display:inline-block;padding:12px 22px;border-radius:8px;font-weight:600;text-decoration:none'
const ADDRESS = 'margin:0 0 8px;color:#5a6274;font-size:13px;overflow-wrap:anywhere;word-break:break-all'
const FOOTNOTE = 'margin:24px 0 0;padding-top:16px;border-top:1px solid #dfe2ea;color:#5a6274;font-size:14px'
const FOOT = 'margin:24px 0 0;color:#5a6274;font-size:13px'
const FOOT_LINK = 'color:#5a6274'
const DARK = new Html(`@media (prefers-color-scheme: dark) {
  .page { background: #12141b !important; color: #e9ebf2 !important; }
  .card { background: #1c1f2a !important; border-color: #343948 !important; }
  .quiet { color: #a3abbf !important; }
  .line { border-color: #343948 !important; }
}`)
