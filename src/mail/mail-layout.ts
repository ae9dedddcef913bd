import type { Mail } from './mail.js'

/** The mail as plain text. */
export function textOf({ site, paragraphs, action, footnote }: Mail): string {
  const parts = [...paragraphs, action && `${action.label}:\n${action.url}`, footnote, `-- \n${site}`]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/** The mail as HTML; every text in it is escaped. */
export function htmlOf({ site, paragraphs, action, footnote }: Mail): string {
  const body = [
    ...paragraphs.map(text => `<p>${escaped(text)}</p>`),
    action && `<p><a href="${escaped(action.url)}">${escaped(action.label)}</a></p>`,
    footnote && `<p>${escaped(footnote)}</p>`,
    `<p>${escaped(site)}</p>`,
  ]
  return body.filter(Boolean).join('\n')
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
