import type { en } from './en.js'
import type { MailMessage, MailMessages } from './messages.js'

export type MailName = keyof (typeof en)['mails']
export type Phrase = keyof (typeof en)['phrases']

/** A language that has every text that English has. */
export interface Translated extends MailMessages {
  readonly mails: Readonly<Record<MailName, MailMessage>>
  readonly phrases: Readonly<Record<Phrase, string>>
}
